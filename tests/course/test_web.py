"""What pages without a kernel are fed with is what the explanations, the plans and the pictures say."""

import json
import re
from html import unescape

import pytest
from helpers import busy_users, crowded, small_workloads, table
from helpers import every_policy as every_simple_policy
from helpers import every_policy_beyond as every_policy
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

import simlib
from simlib import EASY, FCFS, Conservative, plots, simulate
from simlib.course import web
from simlib.explain import explain
from simlib.models import examples
from simlib.policies.walltime import Adjustment, Scheme

PLANNED, BACKFILLED = web.PLANNED, web.BACKFILLED


def unfolded(found):
    """The whole states, as the script puts them together."""
    state, states = {"bars": {}}, []
    for frame in found:
        bars = {job: bar for job, bar in (state["bars"] | frame["bars"]).items() if bar is not None}
        state = state | frame | {"bars": bars}
        states.append(state)
    return states


def stepping(explanation):
    """What a page reads, and the whole states."""
    read = json.loads(web.dumps(web.stepping(explanation)))
    return read, unfolded(read["frames"])


def span(bar):
    """Start, end, processors and whether it is backfilled; a job of no length has no processors."""
    return bar[0], bar[1], sum(bar[4::2]), bool(bar[2] & BACKFILLED)


def tells_all(explanation):
    """Whether the states say what the decisions say, and end with the schedule."""
    read, states = stepping(explanation)
    jobs = explanation.schedule.jobs
    names = list(jobs.index)
    assert read["jobs"]["name"] == [str(name) for name in names]
    assert (read["jobs"]["procs"], read["procs"]) == (jobs.procs.tolist(), explanation.schedule.workload.procs)
    for state, seen in zip(states, explanation, strict=True):
        told = {key: state[key] for key in ("time", "kind", "rule", "sentence", "free")}
        assert told == {key: getattr(seen, key) for key in told}
        assert tuple(names[job] for job in state["jobs"]) == seen.jobs
        assert [names[job] for job in state["queue"]] == [job.job for job in seen.queue]
        assert [read["jobs"]["estimate"][job] for job in state["queue"]] == [job.estimate for job in seen.queue]
        for key in ("running", "done"):
            assert [names[job] for job in state[key]] == [of.job for of in getattr(seen, key)]
            for job, of in zip(state[key], getattr(seen, key), strict=True):
                assert not state["bars"][str(job)][2] & PLANNED
                procs = of.procs if of.end > of.start else 0
                assert span(state["bars"][str(job)]) == (of.start, of.end, procs, of.backfilled)
        reserved = {names[int(job)]: tuple(bar[:2]) for job, bar in state["bars"].items() if bar[2] & PLANNED}
        if not state["remembered"]:
            assert reserved == {of.job: (of.start, of.end) for of in seen.reservations}
            assert (state["shadow"], state["extra"]) == (seen.shadow, seen.extra)
        else:
            assert seen.shadow is None and len(reserved) <= 1 and state["shadow"] is not None
    ends = {names[int(job)]: bar[:2] for job, bar in states[-1]["bars"].items()}
    assert ends == {job: [start, end] for job, start, end in jobs[["start", "end"]].itertuples()}
    return True


@pytest.mark.slow
@every_policy
@settings(max_examples=8)
@given(workload=crowded(), overrun=st.sampled_from(["extend", "kill"]))
def test_the_frames_say_what_the_decisions_say(policy, overrun, workload):
    assert tells_all(explain(workload, policy, overrun))


@pytest.mark.slow
@every_simple_policy
@settings(max_examples=8)
@given(drawn=small_workloads(), overrun=st.sampled_from(["extend", "kill"]))
def test_the_frames_say_what_the_decisions_say_under_simple_policies(policy, overrun, drawn):
    machine, rows = drawn
    assert tells_all(explain(table(rows, machine), policy, overrun))


def drawn_by_plots(schedule, state, now):
    """Where `simlib.plots` draws what has happened and what is expected: corners of rectangles."""
    columns = {"start": 0, "end": 1}
    index = list(schedule.jobs.index)
    rows = {index[int(job)]: bar for job, bar in state["bars"].items()}
    data = schedule.jobs.loc[list(rows), ["procs"]]
    for name, place in columns.items():
        data[name] = [bar[place] for bar in rows.values()]
    data["run"] = data.end - data.start
    data["backfilled"] = [bool(bar[2] & BACKFILLED) for bar in rows.values()]
    data["planned"] = [bool(bar[2] & PLANNED) for bar in rows.values()]
    ax = Figure().add_subplot(xlim=(0, 100), ylim=(0, schedule.workload.procs))
    order = [job for job in index if job in rows]
    plots.spans(ax, data.loc[order], schedule.workload.procs, plots.job_colours(index), now=now)
    return {(box.get_x(), box.get_y(), box.get_width(), box.get_height()) for box in ax.patches}


def drawn_from_bars(state, now):
    boxes = set()
    for start, end, _, *where in state["bars"].values():
        parts = [(start, min(max(now, start), end)), (min(max(now, start), end), end)]
        for first, count in zip(where[::2], where[1::2], strict=True):
            boxes |= {(begin, first, until - begin, count) for begin, until in parts if until > begin}
    return boxes


@pytest.mark.slow
@pytest.mark.parametrize("policy", [FCFS(), EASY(), EASY.plus_plus(), Conservative()], ids=str)
def test_each_job_stands_where_the_pictures_have_it(policy):
    explanation = explain(busy_users(4, jobs=25, machine=8), policy)
    for state in stepping(explanation)[1][::9]:
        expected = drawn_by_plots(explanation.schedule, state, state["time"])
        assert drawn_from_bars(state, state["time"]) == expected


def test_a_reservation_that_the_queue_s_new_order_overtook_hides_nobody():
    """Job 1 was to start at 1, but job 2, which is shorter, came then and started first."""
    explanation = explain(table([(0, 1, 1, 1), (0, 2, 2, 1), (1, 1, 1, 1)], 1), EASY(order="sjf"))
    overtaken = [state for state in stepping(explanation)[1] if state["sentence"].startswith("Job 2 starts")]
    assert [state["bars"] for state in overtaken] == [{"0": [0, 1, 0, 0, 1], "2": [1, 2, 0, 0, 1]}]
    assert overtaken[0]["remembered"]


def test_a_job_has_the_colour_of_the_pictures():
    explanation = explain(busy_users(4, jobs=9), FCFS())
    colours = stepping(explanation)[0]["colours"]
    given = plots.job_colours(explanation.schedule.jobs.index)
    assert [colours[place % len(colours)] for place in range(9)] == list(given.values())


@pytest.mark.slow
@every_policy
def test_a_comparison_has_the_plan_at_each_second_at_which_something_happens(policy):
    schedules = [simulate(busy_users(5, jobs=12, machine=8), each) for each in (FCFS(), policy)]
    if "adjusted" in schedules[1].jobs:
        with pytest.raises(ValueError, match="found adjusted estimates"):
            web.comparing(schedules)
        return
    read = json.loads(web.dumps(web.comparing(schedules)))
    happens = {time for each in schedules for time in each.jobs[["submit", "start", "end"]].to_numpy().ravel().tolist()}
    assert read["times"] == sorted(happens)
    for plan, schedule in zip(read["plans"], schedules, strict=True):
        places = {job: str(place) for place, job in enumerate(schedule.jobs.index)}
        for time, state in zip(read["times"], unfolded(plan["frames"]), strict=True):
            known = schedule.plan(time).jobs
            rows = known[["start", "end", "procs", "backfilled"]].itertuples()
            expected = {places[job]: (s, e, p * (e > s), b, s > time) for job, s, e, p, b in rows}
            assert {job: (*span(bar), bool(bar[2] & PLANNED)) for job, bar in state["bars"].items()} == expected
        last = unfolded(plan["frames"])[-1]["bars"]
        assert {job: bar[0] for job, bar in last.items()} == {
            places[job]: start for job, start in schedule.jobs.start.items()
        }


def test_the_same_schedule_gives_the_same_text():
    made = [web.stepper_html(examples.figure1(), EASY()) for _ in range(2)]
    made += [web.explanation_html(explain(examples.figure1(), EASY()))]
    assert len(set(made)) == 1
    both = [web.compare_html(examples.figure1(), [FCFS(), EASY()]) for _ in range(2)]
    assert both[0] == both[1]


def test_what_expected_ends_far_off_does_not_squeeze_what_happens():
    far = table([(0, 10, 100_000, 3), (5, 10, 10, 4)], 4)
    read, _ = stepping(explain(far, EASY()))
    assert read["time"] == [0, 30]


def test_a_page_holds_every_sentence_without_its_script():
    explanation = explain(examples.figure3(), EASY())
    text = web.explanation_html(explanation)
    listed = re.findall("<li>At (.*?): (.*?)</li>", text)
    assert [unescape(said) for _, said in listed] == [seen.sentence for seen in explanation]
    starts = re.findall("<tr>(.*?)</tr>", web.compare_html(examples.figure3(), [FCFS(), EASY()]))[-4:]
    assert [re.findall("<td>(.*?)</td>", row) for row in starts] == [
        ["A", "0", "0"],
        ["first", "10", "10"],
        ["second", "20", "33"],
        ["backfill", "30", "3"],
    ]


def test_names_of_jobs_and_workloads_cannot_break_a_page():
    nasty = "</script><b onclick=x>&"
    w = simlib.Workload.of(nasty, 4, **{nasty: (0, 10, 10, 3), "B": (1, 5, 5, 4)})
    for text in (web.stepper_html(w, EASY()), web.compare_html(w, [FCFS(), EASY()])):
        assert nasty not in text and text.count("</script>") == 2
        data = re.search('<script type="application/json">(.*?)</script>', text, re.DOTALL)[1]
        assert json.loads(data)["jobs"]["name"] == [nasty, "B"] and json.loads(data)["workload"] == nasty


def test_what_stands_in_for_a_log_says_so():
    sample = simlib.load("sample")
    few = sample.derive(sample.jobs[:5], sample.name)
    assert few.stand_in and stepping(explain(few, EASY()))[0]["mark"] == plots.SYNTHETIC
    assert stepping(explain(examples.figure1(), EASY()))[0]["mark"] == ""


def test_script_and_style_are_small_and_fetch_nothing():
    script, style = web.asset("stepper.js"), web.asset("stepper.css")
    assert len(script) + len(style) < 25_000
    assert not re.search(r"^\s*//|^\s+\S", script, re.MULTILINE)
    assert re.findall(r"https?://[^\"']*", script + style) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"\bimport\b|\bfetch\(|url\((?!#)", style + script.replace("`url(#${this.hatch})`", ""))
    assert "</script" not in script


def test_a_stepper_of_the_course_fits_into_a_notebook():
    from simlib.course.lessons import lesson2, lesson4

    for workload in (examples.figure1(), lesson2.queue(), lesson4.heel_and_toe(2)):
        for policy in (FCFS(), EASY(), Conservative()):
            assert len(web.stepper_html(workload, policy).encode()) < 60_000


def test_what_cannot_be_shown_is_refused():
    few, empty = examples.figure1(), examples.figure1().select("procs > 100")
    adjusted = EASY(adjust=Adjustment(Scheme(key="user", window="1 month", percentile=85)))
    for make, message in (
        (lambda: web.stepper_html(empty, EASY()), "stepper_html: found no job"),
        (lambda: web.compare_html(empty, [EASY()]), "compare_html: found 1 policies and 0 jobs"),
        (lambda: web.compare_html(few, []), "compare_html: found 0 policies and 6 jobs"),
        (lambda: web.stepper_html(few, adjusted), "without an Adjustment"),
    ):
        with pytest.raises(ValueError, match=message):
            make()
