"""Lesson 7: what the commands of Slurm say is enough to answer, and the answers are what simlib simulates."""

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
