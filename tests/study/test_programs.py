"""The programs that the authors may have run equal a slow reading of the text; the detective finds the one that did."""

from dataclasses import replace
from itertools import count

import numpy as np
import pandas as pd
import pytest
from helpers import lossy, of_traces, small_workloads, table
from hypothesis import given
from hypothesis import strategies as st

from simlib import EASY, Conservative, simulate
from simlib.analysis.stats import band
from simlib.explain import reference
from simlib.models.sample import sample
from simlib.study import mualem2001, verdicts
from simlib.study.claims import HOLDS, HOLDS_NOT, UNTESTED
from simlib.study.investigations import likely_programs, programs, suspects
from simlib.study.verdicts import RESTORED

pytestmark = pytest.mark.slow

LONG, NONE, ALL = range(3)


def simulate_reading(rows, machine, scheduler, one_by_one=False, arrivals_first=False):
    """As `reference.schedule`, but the events of an instant may be taken one by one, or arrivals before ends."""
    jobs = [reference.Job(number, *row) for number, row in enumerate(rows)]
    gone, queue, started, arrived = set(), [], count(), count()
    while any(job.start is None for job in jobs):
        now = reference.next_instant(jobs, queue, gone)
        ends = [job for job in jobs if job.start is not None and job not in gone and job.end() <= now]
        ends.sort(key=lambda job: (job.end(), -job.sequence))
        joins = [job for job in jobs if job.arrival is None and job.submit <= now]
        if one_by_one:
            ends, joins = (ends[:1], []) if ends and not (arrivals_first and joins) else ([], joins[:1])
        for event in ("joins", "ends") if arrivals_first else ("ends", "joins"):
            running = [job for job in jobs if job.start is not None and job not in gone]
            if event == "ends":
                scheduler.ends(ends, running, gone, queue, machine, now)
                running = [job for job in running if job not in gone]
            else:
                for job in joins:
                    job.arrival = next(arrived)
                    scheduler.job_joins(job, running, queue, machine, now)
                    queue.append(job)
        running = [job for job in jobs if job.start is not None and job not in gone]
        for job in scheduler.scheduling_pass(running, queue, machine, now):
            job.start, job.sequence = now, next(started)
            queue.remove(job)
    return jobs


class Easy(reference.EASY):
    """MF section 2.2, with the readings of its open details in place of the reference's."""

    def __init__(self, reading):
        super().__init__()
        self.reading, self.shadows = reading, {}

    def ends(self, ends, running, gone, queue, machine, now):
        gone.update(ends)

    def scheduling_pass(self, running, queue, machine, now):
        starting = reference.FCFS.scheduling_pass(self, running, queue, machine, now)
        waiting = [job for job in queue if job not in starting]
        if not waiting:
            return starting
        shadow, extra = self.shadow(waiting[0], running, starting, machine, now)
        free = machine - sum(job.size for job in running + starting)
        for job in sorted(waiting[1:], key=self.turn):
            ends_in_time = now + job.estimate < shadow + (not self.reading.strict)
            if job.size <= free and (ends_in_time or job.size <= extra):
                if self.reading.charge == ALL or (self.reading.charge == LONG and not ends_in_time):
                    extra -= job.size
                free -= job.size
                job.backfilled = True
                starting.append(job)
                if self.reading.once:
                    break
        return starting

    def turn(self, job):
        keys = 0, -job.number, job.estimate, -job.estimate, job.size, -job.size
        return keys[self.reading.candidates], job.number

    def shadow(self, head, running, starting, machine, now):
        """The loop of the text: collect the processors of running jobs by expected end until there are enough."""
        held = [(job.start + job.estimate, -job.sequence, job.size) for job in running]
        held += [(now + job.estimate, -1e9 - place, job.size) for place, job in enumerate(starting)]
        available = machine - sum(size for _, _, size in held)
        shadow = -1e9 if self.reading.in_past else now
        for end, _, size in sorted(held):
            if available >= head.size and (self.reading.first_only or end > shadow):
                break
            available += size
            shadow = max(shadow, end)
        if self.reading.held:
            shadow = max(self.shadows.setdefault(head.number, shadow), now)
        return shadow, available - head.size


class Cautious(reference.Conservative):
    """MF section 2.1, with the readings of its open details in place of the reference's."""

    def __init__(self, reading):
        self.reading = reading

    def ends(self, ends, running, gone, queue, machine, now):
        for batch in [[job] for job in ends] if self.reading.each else [ends]:
            gone.update(batch)
            still = [job for job in running if job not in gone]
            if any(job.expected_end() > now for job in batch):
                # those that have yet to leave at this instant hold their processors until their expected ends
                self.compress(still, queue, machine, now)

    def compress(self, running, queue, machine, now):
        moved = True
        while moved:
            moved = False
            queue.sort(key=self.turn)
            for job in list(queue):
                others = [other for other in queue if other is not job]
                earliest = self.anchor(job, running, others, machine, now)
                if earliest < job.reserved:
                    job.reserved, moved = earliest, self.reading.repeat

    def turn(self, job):
        end = job.reserved + job.estimate
        keys = (0, job.reserved, job.reserved, end, -job.number, job.estimate, -job.estimate, job.size, -job.size)
        latest_first = self.reading.order == programs.conservative_readings.START_LATEST
        return keys[self.reading.order], -job.number if latest_first else job.number


easy_readings = st.builds(
    programs.EasyReading,
    charge=st.sampled_from([LONG, NONE, ALL]),
    strict=st.booleans(),
    first_only=st.booleans(),
    in_past=st.booleans(),
    events=st.integers(0, 2),
    candidates=st.integers(0, 5),
    once=st.booleans(),
    held=st.booleans(),
)
conservative_readings = st.builds(
    programs.ConservativeReading,
    order=st.integers(0, 8),
    repeat=st.booleans(),
    each=st.booleans(),
    arrivals_first=st.booleans(),
)


@pytest.mark.parametrize("overrun", ["extend", "kill", "outlive"])
@given(drawn=small_workloads(), reading=easy_readings)
def test_every_reading_of_easy_equals_the_reference(overrun, drawn, reading):
    machine, rows = drawn
    ours = simulate(
        table(rows, machine), programs.EasyProgram(reading, overrun), "kill" if overrun == "kill" else "extend"
    )

    def meant(submit, run, estimate, size):
        run = min(run, estimate) if overrun == "kill" else run
        return submit, run, estimate if overrun == "outlive" else max(run, estimate), size

    one_by_one, arrivals_first = reading.events > 0, reading.events == 2
    expected = simulate_reading([meant(*row) for row in rows], machine, Easy(reading), one_by_one, arrivals_first)
    assert ours.jobs.start.tolist() == [job.start for job in expected]
    assert ours.jobs.backfilled.tolist() == [job.backfilled for job in expected]


@given(drawn=small_workloads(), reading=conservative_readings)
def test_every_reading_of_conservative_backfilling_equals_the_reference(drawn, reading):
    machine, rows = drawn
    rows = [(submit, run, max(run, estimate), size) for submit, run, estimate, size in rows]
    ours = simulate(table(rows, machine), programs.ConservativeProgram(reading)).jobs
    expected = simulate_reading(rows, machine, Cautious(reading), arrivals_first=reading.arrivals_first)
    assert ours.start.tolist() == [job.start for job in expected]
    assert ours.guarantee.tolist() == [job.guarantee for job in expected]


@given(drawn=small_workloads())
def test_the_first_reading_of_every_detail_is_the_engines(drawn):
    w = table(drawn[1], drawn[0])
    for scheduler, policy in (("easy", EASY()), ("conservative", Conservative())):
        first = {detail: next(iter(readings)) for detail, readings in programs.DETAILS[scheduler].items()}
        assert programs.program(scheduler, first) == programs.program(scheduler) == policy
    for program, policy in programs.PLAIN.items():
        assert simulate(w, program).jobs.start.equals(simulate(w, policy).jobs.start)


def test_neighbours_differ_in_one_detail():
    changed = {"extra processors": "never used up"}
    found = programs.neighbours("easy", changed)
    assert found["", ""] == changed
    assert ("extra processors", "never used up") not in found
    text = "used up by jobs that run beyond the shadow time"
    assert programs.program("easy", found["extra processors", text]) == programs.program("easy")
    assert len(found) == 1 + sum(len(readings) - 1 for readings in programs.EASY_DETAILS.values())


def test_an_unknown_reading_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="found 'candidates': 'at random', expected one of .*candidates: oldest first"):
        programs.program("easy", {"candidates": "at random"})


# The detective


@pytest.fixture
def trace():
    """Three months of the sample, as if they were KTH's first ones."""
    w = sample()
    start = pd.Timestamp("1996-10-01", tz="Europe/Stockholm")
    moved = type(w)(w.jobs, w.procs, w.name, start=start)
    return mualem2001.Trace("KTH", moved, ("1996-10", "1996-11"))


def test_months_begin_so_many_hours_after_local_midnight(trace):
    months, edges = trace.month_edges
    assert months == ["1996-10", "1996-11"]
    assert edges.tolist() == [0, 31 * 86400 + 3600, 61 * 86400 + 3600]  # the clock is put back in October
    later = replace(trace, months_begin=-1.5).month_edges[1]
    assert (later == edges - 5400).all()


def test_the_offset_of_the_months_is_found_from_the_numbers_of_jobs(trace, monkeypatch):
    ends = simulate(trace.workload, EASY()).jobs.end
    edges = replace(trace, months_begin=-9).month_edges[1]
    months = pd.DataFrame({"jobs": np.histogram(ends, edges)[0]}, index=["1996-10", "1996-11"])
    monkeypatch.setattr(likely_programs, "printed", lambda trace: months)
    found = likely_programs.counts_by_offset(trace, EASY(), np.arange(-12, 13, 3.0), shakes=5)
    assert found.log_likelihood.idxmax() == found.off.idxmin() == -9


def test_a_value_among_the_runs_is_likelier_than_one_beside_them():
    rng = np.random.default_rng(1)
    runs = pd.DataFrame({"response_s": rng.normal(1000, 10, 200), "bounded_slowdown": rng.normal(50, 1, 200)})
    among = {"response_s": 1000, "bounded_slowdown": 50.0}
    beside = {"response_s": 1200, "bounded_slowdown": 54.0}
    assert suspects.log_likelihood(runs, among) > suspects.log_likelihood(runs, beside) + 10
    assert suspects.verdicts(band(runs), among) == {"inside": 2, "close": 0, "cells": 2}
    assert suspects.verdicts(band(runs), beside) == {"inside": 0, "close": 1, "cells": 2}


def test_the_search_finds_the_program_that_printed_the_numbers(trace, monkeypatch):
    culprit = {"candidates": "shortest estimate first", "extra processors": "never used up"}
    runs = suspects.monthly(trace, programs.program("easy", culprit), shakes=1, seed=99).iloc[0].unstack()
    monkeypatch.setattr(suspects, "printed", lambda trace: runs.add_prefix("easy_"))
    steps = suspects.search([trace], "easy", shakes=20)
    assert steps[0][0] == {}
    assert programs.program("easy", steps[-1][0]) == programs.program("easy", culprit)
    assert steps[-1][1].more.iloc[0] <= 3


def test_who_wins_when_months_are_drawn_anew_adds_up_to_one():
    index = pd.MultiIndex.from_product(
        [["a"], ["x", "y"], ["KTH"], ["1", "2", "3"]], names=["detail", "reading", "trace", "month"]
    )
    fits = pd.DataFrame({"log_likelihood": [9, 0, 0, 1, 1, 1]}, index=index)
    shares = suspects.wins(fits)
    assert shares.sum() == 1
    assert shares["a", "y"] == pytest.approx((2 / 3) ** 3, abs=0.05)  # only if the month of 9 is not drawn


@pytest.mark.parametrize("name", ["CTC-SP2", "KTH-SP2", "SDSC-SP2", "SDSC-Par-96", "LANL-CM5"])
def test_months_begin_when_the_printed_numbers_of_jobs_say_with_lost_jobs_put_back(log, name):
    setting = next(setting for setting in mualem2001.settings() if setting["log"] == name)
    log(setting["log"])
    found = next(one for one in mualem2001.traces([setting["trace"]])[0] if one.months == tuple(setting["months"]))
    counts = likely_programs.counts_by_offset(found.under(RESTORED), EASY(), np.arange(-36, 36.1, 0.5), shakes=5)
    assert counts.log_likelihood.idxmax() == pytest.approx(found.months_begin, abs=1)


def test_numbers_of_jobs_are_counted_on_restored_logs_and_not_on_the_paragons_that_cannot_be():
    par, whole = (replace(lossy(), trace="Par", lost=lost) for lost in (lossy().lost, None))
    counted = of_traces(likely_programs.Detective, lossy(), par, whole).counted
    assert [(one.trace, one.restored) for one in counted] == [("CTC", True), ("Par", True)]
    one, other = (likely_programs._ends(counted[0].workloads, EASY(), 0, seed) for seed in (0, 1))
    assert len(one) == len(likely_programs._ends(lossy().workloads, EASY(), 0, 0)) + 100
    assert (one != other).any()


@pytest.fixture
def judged(trace, monkeypatch):
    """Runs of two programs, and a Table 1 that the text's program printed."""
    text, other = ({"easy": programs.program("easy", changes)} for changes in ({}, {"backfilled in a pass": "one job"}))
    for suspect in (text, other):
        suspect["conservative"] = programs.program("conservative")
    runs = {
        (name, scheduler, "KTH"): suspects.monthly(trace, policy, shakes=20)
        for name, suspect in (("text", text), ("other", other))
        for scheduler, policy in suspect.items()
    }
    once = [
        suspects.monthly(trace, text[scheduler], shakes=1, seed=50).iloc[0].unstack().add_prefix(f"{scheduler}_")
        for scheduler in ("easy", "conservative")
    ]
    monkeypatch.setattr(likely_programs, "printed", lambda trace: pd.concat(once, axis=1))
    return runs


def test_a_program_has_the_numbers_that_it_printed_in_its_bands(trace, judged):
    standing = likely_programs.standing(dict.fromkeys(("text", "other"), [trace]), judged)
    assert (standing.standing.abs() <= 1).equals(standing.verdict == verdicts.INSIDE)
    shares = likely_programs.shares(standing)
    inside = shares.xs(verdicts.INSIDE, axis=1, level="verdict").loc[("easy", "KTH")]
    assert inside["text"] >= 3 > inside["other"]
    assert (shares.T.groupby(level="program").sum() == 4).all().all()
    assert len(likely_programs.draw_standing(standing).axes) == 2


def test_conclusions_count_the_months_that_each_program_has_easy_win(trace, judged):
    found = likely_programs.conclusions(dict.fromkeys(("text", "other"), [trace]), judged)
    runs = {scheduler: judged["text", scheduler, "KTH"] for scheduler in ("easy", "conservative")}
    differences = runs["conservative"] / runs["easy"] - 1
    won = (differences.xs("response_s", axis=1, level="metric") > 0).sum(axis=1)
    row = found.loc["KTH", "response_s", "text"]
    assert (row.won_low, row.won_high) == tuple(won.quantile([0.025, 0.975]))
    printed = found.loc["KTH", "response_s", "as printed"]
    assert printed.won_low == printed.won_high and printed.months == 2


@pytest.fixture
def restored(monkeypatch):
    """A detective whose search found the text's program, of a log that lost jobs; Table 1 is made from a draw."""
    drawn = lossy().drawn(50)
    text = {name: programs.program(name) for name in ("easy", "conservative")}
    once = [suspects.monthly(drawn, text[name], shakes=1).iloc[0].unstack().add_prefix(f"{name}_") for name in text]
    full = pd.concat(once, axis=1)
    monkeypatch.setattr(likely_programs, "printed", lambda trace: full[[trace.complete(month) for month in full.index]])
    made = of_traces(likely_programs.Detective, lossy(), text_shakes=5, likely_shakes=5)
    made.searches = {name: [({}, None)] for name in text}
    return made


def test_the_third_program_is_the_likeliest_with_the_lost_jobs_back_and_meets_the_months_that_lack_them(restored):
    standing = restored.standing
    programs = likely_programs.TEXT, likely_programs.LIKELIEST, likely_programs.WITH_LOST
    assert tuple(standing.index.unique("program")) == programs
    months = {program: list(standing.loc[program].index.unique("month")) for program in programs}
    whole = ["1996-07", "1996-09"]
    assert months == {
        likely_programs.TEXT: whole,
        likely_programs.LIKELIEST: whole,
        likely_programs.WITH_LOST: ["1996-07", "1996-08", "1996-09"],
    }
    august = standing.loc[likely_programs.WITH_LOST].xs("1996-08", level="month")
    assert len(august) == 4 and (august.verdict != verdicts.OFF).sum() >= 3
    counts = likely_programs.shares(standing).loc[("easy", "CTC")].groupby(level="program").sum()
    assert counts.to_dict() == {likely_programs.TEXT: 4, likely_programs.LIKELIEST: 4, likely_programs.WITH_LOST: 6}
    assert len(likely_programs.draw_standing(standing).axes) >= 2


def test_conclusions_are_drawn_from_the_same_months_under_all_three_programs(restored):
    found = restored.conclusions
    programs = ["as printed", likely_programs.TEXT, likely_programs.LIKELIEST, likely_programs.WITH_LOST]
    assert list(found.index.unique("program")) == programs
    assert set(found.months) == {2}
    like_text = found.xs(likely_programs.TEXT, level="program").equals(
        found.xs(likely_programs.LIKELIEST, level="program")
    )
    assert like_text  # which were the same program, shaken alike
    assert not found.xs(likely_programs.TEXT, level="program").equals(
        found.xs(likely_programs.WITH_LOST, level="program")
    )
    beside = likely_programs.conclusions_beside(found)
    assert list(beside["EASY better in"].columns) == programs


def test_without_lost_jobs_there_is_no_third_program_and_no_second_search(restored):
    alone = of_traces(likely_programs.Detective, replace(lossy(), lost=None, missing={}))
    assert list(alone.traces_of) == [likely_programs.TEXT, likely_programs.LIKELIEST] and alone.searches_again == {}
    assert list(restored.traces_of)[-1] == likely_programs.WITH_LOST


def test_other_estimates_are_witnesses_that_tell_programs_apart(trace):
    tried = {
        ("easy", "text"): EASY(),
        ("easy", "one job"): programs.program("easy", {"backfilled in a pass": "one job"}),
    }
    found = suspects.witnesses([trace], tried, factors=(1, 2), shakes=3)
    assert found.index.unique("estimates").tolist() == ["f1", "f2", "x2"]
    assert np.isfinite(found.log_likelihood).all() and (found.cells == 2).all()


# The findings


def steps(detail, readings, gains, resampled):
    """One step of a search in which readings of a detail have these gains on two traces."""
    index = pd.MultiIndex.from_tuples([*((detail, reading) for reading in readings), ("", "")])
    gains = np.array([*gains, [0.0, 0.0]])
    table = pd.DataFrame({"CTC": gains[:, 0], "KTH": gains[:, 1], "all": gains.sum(axis=1)}, index)
    return [({}, table.assign(more=table["all"], inside=0.5, resampled=[*resampled, 0.0]))]


@pytest.mark.parametrize(
    "gains, resampled, verdict",
    [
        ([[40.0, 9.0]], [0.99], HOLDS),
        ([[40.0, -1.0]], [0.99], HOLDS_NOT),  # one log speaks against it
        ([[1.0, 1.0]], [0.99], HOLDS_NOT),  # too little in all
        ([[40.0, 9.0]], [0.6], HOLDS_NOT),  # owed to a few months
    ],
)
def test_that_extra_processors_were_shared_is_found_only_where_all_logs_say_so(gains, resampled, verdict):
    found = likely_programs._shared_extra(steps("extra processors", ["never used up"], gains, resampled))
    assert (found["id"], found["verdict"]) == ("OWN-02", verdict)


@pytest.mark.parametrize(
    "conservative, gain, verdict",
    [
        ({"compressed in order of": "start"}, 9, HOLDS),
        ({}, 9, HOLDS_NOT),  # the search ends elsewhere
        ({"compressed in order of": "start"}, 2, HOLDS_NOT),  # Tables 3 and 4 hardly say so
        ({"compressed in order of": "start"}, -9, HOLDS_NOT),
    ],
)
def test_restored_logs_speak_for_the_same_programs_only_where_the_search_and_other_tables_say_so(
    conservative, gain, verdict
):
    before = {"easy": [({}, None), ({"a": "b"}, None)], "conservative": [({"compressed in order of": "start"}, None)]}
    after = before | {"conservative": [({}, None), (conservative, None)]}
    rows = {
        (scheduler, suspect, trace, kind): gain if (suspect, trace) == ("likeliest", "CTC") else 0.0
        for scheduler in ("easy", "conservative")
        for suspect in ("text", "likeliest")
        for trace in ("CTC", "KTH")
        for kind in ("f1", "x2")
    }
    rows |= {key: gain / 2 for key, value in rows.items() if value}
    testimony = pd.Series(rows).rename_axis(["scheduler", "suspect", "trace", "estimates"]).to_frame("log_likelihood")
    found = likely_programs._again(before, after, testimony)
    assert (found["id"], found["verdict"]) == ("OWN-10", verdict)
    assert found["numbers"]["easy"] == gain
    assert likely_programs._again(before, {}, testimony)["verdict"] == UNTESTED


@pytest.mark.parametrize("inside, verdicts", [((50, 90), (HOLDS, HOLDS)), ((95, 97), (HOLDS_NOT, HOLDS_NOT))])
def test_cells_inside_are_counted_on_the_sp2_logs_alone(inside, verdicts):
    rows = {
        (program, scheduler, trace, str(month), "response_s"): "inside" if month < count or trace == "CM5" else "off"
        for program, count in zip(("text", "likeliest"), inside, strict=True)
        for scheduler in ("easy", "conservative")
        for trace in ("CTC", "CM5")
        for month in range(100)
    }
    names = ["program", "scheduler", "trace", "month", "metric"]
    standing = pd.DataFrame({"verdict": pd.Series(rows).rename_axis(names)})
    text, likeliest = (likely_programs._inside(standing, program) for program in ("text", "likeliest"))
    assert (text["inside"], text["of"], likeliest["value"]) == (2 * inside[0], 200, inside[1] / 100)
    found = likely_programs._text_misses(text), likely_programs._likeliest_meets(text, likeliest)
    assert tuple(one["verdict"] for one in found) == verdicts


@pytest.mark.parametrize("sdsc, verdict", [((8, 15, 19), HOLDS), ((13, 15, 19), HOLDS_NOT), ((8, 20, 19), HOLDS_NOT)])
def test_a_lead_is_gone_only_where_half_the_months_are_possible_and_what_is_printed_is_not(sdsc, verdict):
    low, high, printed = sdsc
    rows = {
        ("SDSC", "bounded_slowdown", "text"): (24, low, high),
        ("SDSC", "bounded_slowdown", "as printed"): (24, printed, printed),
        ("CM5", "response_s", "text"): (20, 5, 11),
        ("CM5", "response_s", "as printed"): (20, 14, 14),
    }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["months", "won_low", "won_high"])
    table.index = pd.MultiIndex.from_tuples(table.index, names=["trace", "metric", "program"])
    assert likely_programs._undecided(table)["verdict"] == verdict
    assert likely_programs._undecided(table.loc[["SDSC"]])["verdict"] == UNTESTED
