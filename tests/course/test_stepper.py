"""What the script draws is what the explanations and the pictures say; it stops and asks where it should."""

import json
import re
from html import unescape

import pytest
from helpers import BEYOND, busy_users, crowded, table, usually
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

import simlib
from simlib import EASY, FCFS, Conservative, plots
from simlib.explain import explain
from simlib.models import examples
from simlib_course import views, web, widgets
from simlib_course.lessons import lesson2, lesson4

PLANNED, BACKFILLED = views.PLANNED, views.BACKFILLED


def unfolded(found):
    """The whole states, as the script puts them together."""
    state, states = {"bars": {}}, []
    for frame in found:
        bars = {job: bar for job, bar in (state["bars"] | frame["bars"]).items() if bar is not None}
        state = state | frame | {"bars": bars}
        states.append(state)
    return states


def stepping(explanation):
    """What the script reads, and the whole states."""
    read = json.loads(json.dumps(views.stepping(explanation)))
    return read, unfolded(read["frames"])


def span(bar):
    """Start, end, processors and whether it is backfilled; a job of no length has no processors."""
    return bar[0], bar[1], sum(bar[4::2]), bool(bar[2] & BACKFILLED)


# The frames


@pytest.mark.slow
@usually(BEYOND)
@settings(max_examples=3)
@given(workload=crowded(), overrun=st.sampled_from(["extend", "kill"]))
def test_the_frames_say_what_the_decisions_say(policy, overrun, workload):
    explanation = explain(workload, policy, overrun)
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
        assert [names[job] for job in state["running"]] == [of.job for of in seen.running]
        for of in (*seen.running, *seen.done):
            bar = state["bars"][str(names.index(of.job))]
            procs = of.procs if of.end > of.start else 0
            assert span(bar) == (of.start, of.end, procs, of.backfilled) and not bar[2] & PLANNED
        reserved = {names[int(job)]: tuple(bar[:2]) for job, bar in state["bars"].items() if bar[2] & PLANNED}
        if not state["remembered"]:
            assert reserved == {of.job: (of.start, of.end) for of in seen.reservations}
            assert (state["shadow"], state["extra"]) == (seen.shadow, seen.extra)
        else:
            assert seen.shadow is None and len(reserved) <= 1 and state["shadow"] is not None
    ends = {names[int(job)]: bar[:2] for job, bar in states[-1]["bars"].items()}
    assert ends == {job: [start, end] for job, start, end in jobs[["start", "end"]].itertuples()}


def drawn_by_plots(schedule, state, now):
    """Where `simlib.plots` draws what has happened and what is expected: corners of rectangles."""
    index = list(schedule.jobs.index)
    rows = {index[int(job)]: bar for job, bar in state["bars"].items()}
    data = schedule.jobs.loc[list(rows), ["procs"]]
    data["start"], data["end"] = zip(*(bar[:2] for bar in rows.values()), strict=True)
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
def test_each_job_stands_where_the_pictures_have_it_and_has_its_colour(policy):
    explanation = explain(busy_users(4, jobs=25, machine=8), policy)
    read, states = stepping(explanation)
    for state in states[4::9]:
        assert drawn_from_bars(state, state["time"]) == drawn_by_plots(explanation.schedule, state, state["time"])
    given = plots.job_colours(explanation.schedule.jobs.index)
    assert [read["colours"][place % len(read["colours"])] for place in range(25)] == list(given.values())


def test_a_reservation_that_the_queue_s_new_order_overtook_hides_nobody():
    """Job 1 was to start at 1, but job 2, which is shorter, came then and started first."""
    explanation = explain(table([(0, 1, 1, 1), (0, 2, 2, 1), (1, 1, 1, 1)], 1), EASY(order="sjf"))
    overtaken = [state for state in stepping(explanation)[1] if state["sentence"].startswith("Job 2 starts")]
    assert [state["bars"] for state in overtaken] == [{"0": [0, 1, 0, 0, 1], "2": [1, 2, 0, 0, 1]}]
    assert overtaken[0]["remembered"]


def test_what_expected_ends_far_off_does_not_squeeze_what_happens():
    read, _ = stepping(explain(table([(0, 10, 100_000, 3), (5, 10, 10, 4)], 4), EASY()))
    assert read["time"] == [0, 30]


def test_what_stands_in_for_a_log_says_so():
    sample = simlib.load("sample")
    few = sample.derive(sample.jobs[:5], sample.name)
    assert few.stand_in and stepping(explain(few, EASY()))[0]["mark"] == plots.SYNTHETIC
    assert stepping(explain(examples.figure1(), EASY()))[0]["mark"] == ""


# Where it stops, and what it asks


def test_next_passes_over_what_tells_nothing_new():
    explanation = explain(lesson2.queue(), EASY())
    steps = views.news(explanation)
    assert len(steps) == 19 < len(explanation) == 35
    assert not [place for place in steps if "still waits" in explanation[place].sentence]
    doubled = explain(lesson4.heel_and_toe(2), EASY())
    seventh = doubled[views.news(doubled)[7]]
    assert (seventh.time, seventh.job) == (200, "s2")


@pytest.mark.slow
@usually(BEYOND)
def test_every_start_is_told_and_each_question_is_answered_by_what_happens_next(policy):
    explanation = explain(busy_users(3, jobs=12, machine=8), policy)
    steps = views.news(explanation)
    for place, seen in enumerate(explanation):
        assert place in steps or seen.kind not in ("start", "backfill", "reserve", "move")
        asked, later = views.question(explanation, place), explanation[place + 1 : place + 2]
        if seen.kind in ("event", "start", "backfill") and seen.queue:  # somebody may start next, or nobody
            assert (asked is not None) == any(one.time == seen.time and one.kind != "event" for one in later)
        if asked:
            answer, until = asked
            between = explanation[place + 1 : until + 1]
            started = [later.job for later in between if later.kind in ("start", "backfill")]
            assert started == ([] if answer is None else [answer])
            assert {later.time for later in between} == {seen.time}


def test_lesson_2_asks_at_each_arrival_and_end_and_nobody_is_an_answer():
    explanation = explain(lesson2.queue(), EASY())
    asked = {place: views.question(explanation, place) for place in range(len(explanation))}
    asked = {place: found for place, found in asked.items() if found}
    assert len(asked) == 13
    events = [place for place, seen in enumerate(explanation) if seen.kind == "event" and seen.queue]
    assert set(events) <= set(asked)
    ends = next(place for place, seen in enumerate(explanation) if seen.ended == ("D",))
    _, states = stepping(explanation)
    assert states[ends]["ask"] == [None, asked[ends][1]] and states[ends - 1]["ask"] is None
    assert states[events[0]]["ask"] == [0, 1] and asked[events[0]] == ("A", 1)


# Pages


def test_a_page_holds_every_sentence_without_its_script_and_the_same_schedule_gives_the_same_text():
    made = [widgets.stepper(examples.figure3(), EASY()).html() for _ in range(2)]
    assert made[0] == made[1]
    listed = re.findall("<li>At (.*?): (.*?)</li>", made[0])
    told = [(str(seen.time), seen.sentence) for seen in explain(examples.figure3(), EASY())]
    assert [(at, unescape(said)) for at, said in listed] == told


def test_names_of_jobs_and_workloads_cannot_break_a_page():
    nasty = "</script><b onclick=x>&"
    w = simlib.Workload.of(nasty, 4, **{nasty: (0, 10, 10, 3), "B": (1, 5, 5, 4)})
    text = widgets.stepper(w, EASY()).html()
    assert nasty not in text and text.count("</script>") == 2
    data = json.loads(re.search('<script type="application/json">(.*?)</script>', text, re.DOTALL)[1])
    assert (data["jobs"]["name"], data["workload"]) == ([nasty, "B"], nasty)


def test_script_and_style_are_small_and_fetch_nothing():
    script, style = web.asset("stepper.js"), web.asset("stepper.css")
    assert len(script) + len(style) < 24_000
    assert not re.search(r"^\s*//|^\s+\S", script, re.MULTILINE)
    assert re.findall(r"https?://[^\"']*", script + style) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"\bimport\b|\bfetch\(|url\((?!#)", style + script)
    assert "</script" not in script
    for workload in (examples.figure1(), lesson2.queue(), lesson4.heel_and_toe(2)):
        for policy in (FCFS(), EASY(), Conservative()):
            assert len(widgets.stepper(workload, policy).html().encode()) < 70_000


def test_up_to_twelve_jobs_have_a_colour_each():
    assert [len(set(plots.job_colours(range(count)).values())) for count in (6, 7, 12)] == [6, 7, 12]
