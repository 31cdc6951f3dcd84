"""Lesson 7: what Slurm's commands say is enough to answer, the answers are what simlib simulates, and hints help."""

import by_name
import pytest

from simlib import EASY, simulate
from simlib.explain import why
from simlib_course import lessons
from simlib_course.lessons import lesson7


@pytest.fixture(params=["", "Ada Lovelace", "Grace Hopper", "Zoë Müller"])
def seeded(request):
    """The lesson with the jobs of a seed."""
    lessons.use_seed(request.param)
    yield
    lessons.use_seed("")


@pytest.fixture
def site():
    """The lesson as the site has it."""
    lessons.use_seed("")


@pytest.mark.slow
def test_who_reads_the_outputs_has_the_right_answers(seeded):
    said = {number: lessons.verdict(number, answer) for number, answer in by_name.lesson_7().items()}
    assert list(said) == lessons.exercises(7)
    assert {number: str(verdict) for number, verdict in said.items() if verdict.status != "right"} == {}


@pytest.mark.slow
def test_the_answers_are_what_simlib_says_of_the_jobs(seeded):
    answers, plan = by_name.lesson_7(), lesson7.planned()
    head, mine = plan.jobs.index[-2:]
    told = why(plan, mine)
    start = plan.jobs.submit[mine] + 60 * answers["7.1"]["minutes"]
    assert f"started at {start:,.0f}:" in told and f"job {answers['7.1']['behind']} was waiting already" in told
    for changed in (lesson7.planned(minutes=answers["7.2"]), lesson7.planned(nodes=answers["7.3"]["nodes"])):
        assert f"was backfilled at once, ahead of job {head}." in why(changed, mine)
        assert changed.jobs.start[head] == plan.jobs.start[head]
    limit = simulate(lesson7.account(), EASY())
    ends = limit.jobs.end[:-1]
    (last,) = ends.index[ends == 60 * answers["7.5"]]
    assert f"It started the moment that job {last} ended" in why(limit, limit.jobs.index[-1])
    fair = lesson7.fairly(lesson7.users())
    before, after = answers["7.4"][:2]
    assert f"It started the moment that job {before} ended" in why(fair, after)


@pytest.mark.slow
def test_answers_in_other_forms_and_wrong_ones_with_their_hints(site):
    right = by_name.lesson_7()
    limit, nodes, plan = int(right["7.2"]), right["7.3"]["nodes"], lesson7.planned().jobs
    as_text = f"{limit // 60}:{limit % 60:02}"
    first, others = right["7.1"], lesson7.partitions().index
    late = max(lesson7.account().jobs.run[:-1]) // 60
    its, sixth = lesson7.array(), right["7.6"]
    good = [
        ("7.1", first | {"behind": int(first["behind"]), "minutes": f"{first['minutes']:.0f}"}),
        *(("7.2", text) for text in (limit - 5, f"{as_text}:00", f"0-{as_text}", f"{limit}:00", str(limit))),
        ("7.3", right["7.3"] | {"partition": right["7.3"]["partition"].upper()}),
        ("7.4", ", ".join(right["7.4"])),
    ]
    bad = [
        ("7.1", 30, "expected minutes=..., behind=..."),
        ("7.1", first | {"minutes": first["minutes"] / 60}, "right in hours"),
        ("7.1", first | {"minutes": limit + 1}, f"when job {first['behind']} starts"),
        ("7.1", first | {"minutes": 5}, "less the present time"),
        ("7.1", first | {"behind": plan.index[0]}, "runs: who waits"),
        ("7.1", first | {"behind": plan.index[-1]}, "is yours"),
        ("7.1", first | {"behind": list(lesson7.out_of_the_queue())[0]}, "(Dependency) keeps it out"),
        ("7.2", as_text, f"{limit // 60} min {limit % 60} s"),
        ("7.2", limit / 60, "right in hours"),
        ("7.2", limit + 10, "would still run when job"),
        ("7.2", limit + 1, "has to end before"),
        ("7.2", limit - 6, "but also with"),
        ("7.2", 0, "at least a minute"),
        ("7.2", "soon", "expected a number"),
        ("7.3", right["7.3"] | {"nodes": 128 - plan.procs[:-2].sum()}, "nodes are free now"),
        ("7.3", right["7.3"] | {"nodes": nodes - 1}, "but also on"),
        ("7.3", right["7.3"] | {"nodes": 2.5}, "whole number"),
        ("7.3", right["7.3"] | {"partition": "cpu"}, f"expected one of {', '.join(map(repr, others))}"),
        ("7.4", right["7.4"][::-1], "the largest number goes first"),
        ("7.4", right["7.4"][:5], "once"),
        ("7.4", lesson7.by_size(lesson7.factors(lesson7.users()).age), "that is FCFS"),
        ("7.4", lesson7.by_size(lesson7.factors(lesson7.users())["fair share"]), "age counts"),
        ("7.4", [*right["7.4"][1::-1], *right["7.4"][2:]], f"{right['7.4'][0]} comes before {right['7.4'][1]}"),
        ("7.5", 0, "idle nodes do not help"),
        ("7.5", late, "it may start earlier"),
        ("7.5", right["7.5"] + 1, "no job of physics ends"),
        ("7.5", min(lesson7.account().jobs.run[:-1]) // 60, "the limit leaves"),
        ("7.6", sixth | {"tasks": its.tasks}, "not all"),
        ("7.6", sixth | {"tasks": sixth["tasks"] // its.at_once}, f"lets {its.at_once} run at once"),
        ("7.6", sixth | {"tasks": sixth["tasks"] + its.at_once}, "do not start"),
        ("7.6", sixth | {"tasks": 1}, "And"),
        ("7.6", sixth | {"merge": its.until + its.down}, "waits for all"),
        ("7.6", sixth | {"merge": -(-its.tasks // its.at_once) * its.minutes}, "if there were no maintenance"),
        ("7.6", sixth | {"merge": 1}, "When does the last one end"),
    ]
    wrong = others.drop(right["7.3"]["partition"])
    bad += [("7.3", right["7.3"] | {"partition": name}, "the nodes are right. But") for name in wrong]
    fails = [(number, answer) for number, answer in good if lessons.verdict(number, answer).status != "right"]
    for number, answer, hint in bad:
        said = lessons.verdict(number, answer)
        fails += [] if said.status == "not yet" and hint in said.sentence else [(number, answer, hint, str(said))]
    assert fails == []
