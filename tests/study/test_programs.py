"""The programs that the authors may have run equal a slow reading of the text; the detective finds the one that did."""

from dataclasses import replace
from itertools import count

import numpy as np
import pandas as pd
import pytest
from as_in_study import executed
from helpers import lossy, monthly, random_workload, small_workloads, table, texts, trace_logs, verdict_by_id
from hypothesis import given
from hypothesis import strategies as st

from simlib import EASY, Conservative, simulate
from simlib.analysis.stats import band
from simlib.core.estimates import Scaled
from simlib.explain import reference
from simlib.models.sample import sample
from simlib.study import mualem2001, verdicts
from simlib.study.claims import OPEN, UNTESTED
from simlib.study.investigations import likely_programs, programs, suspects
from simlib.study.investigations.likely_programs import END, TAKEN_FOR
from simlib.study.mualem2001 import MEASURES
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


easy_readings = st.builds(  # what other programs do is in `test_easy_programs`
    programs.easy_readings.TEXT._replace,
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


def test_a_shadow_time_that_has_passed_counts_extra_processors_otherwise_than_one_that_is_now():
    past, differing = programs.easy_readings.TEXT._replace(in_past=True), 0
    for seed in range(12):
        w = random_workload(seed, jobs=120, machine=16)
        ours, now = (
            simulate(w, programs.EasyProgram(reading, "outlive")).jobs.start.tolist()
            for reading in (past, programs.easy_readings.TEXT)
        )
        rows = [tuple(row) for row in w.jobs[["submit", "run", "estimate", "procs"]].to_numpy().tolist()]
        assert ours == [job.start for job in simulate_reading(rows, 16, Easy(past))]
        differing += ours != now
    assert differing > 3


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
    assert len(found) == 1 + sum(len(readings) - 1 for readings in programs.DETAILS["easy"].values())


def test_an_unknown_reading_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="found 'candidates': 'at random', expected one of .*candidates: oldest first"):
        programs.program("easy", {"candidates": "at random"})


# The method


@pytest.fixture
def trace():
    """Three months of the sample, as if they were KTH's first ones."""
    w = sample()
    start = pd.Timestamp("1996-10-01", tz="Europe/Stockholm")
    moved = type(w)(w.jobs, w.procs, w.name, start=start)
    return mualem2001.Trace("KTH", moved, ("1996-10", "1996-11"))


def shaken(trace, policy, shakes, seed=0):
    """The months of a trace in shaken runs."""
    return monthly(trace, {"": policy}, shakes=shakes, seed=seed)[trace.trace, ""]


def test_months_are_measured_run_by_run_and_jobs_are_killed_by_the_programs_that_kill_them(trace):
    kill = programs.program("easy", {"a job beyond its estimate": "is killed"})
    short = replace(trace, workload=trace.workload.with_estimates(Scaled(0.5)))
    runs = monthly(short, {"kill": kill, "extend": EASY()}, shakes=2, seed=7)
    for name, overrun in (("kill", "kill"), ("extend", "extend")):
        of_run = trace.by_month(simulate(short.workload.shake(60, 8), EASY(), overrun))
        assert runs["KTH", name]["1996-11"].response_s[2] == of_run.mean_response["1996-11"]
    assert list(runs["KTH", "kill"].columns.unique("month")) == ["1996-10", "1996-11"]


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
    runs = shaken(trace, programs.program("easy", culprit), 1, seed=99).iloc[0].unstack()
    monkeypatch.setattr(suspects, "printed", lambda trace: runs.add_prefix("easy_"))
    steps = suspects.search({"KTH": trace}, "easy", shakes=20, measures=trace_logs(trace).monthly)
    assert steps[0][0] == {}
    assert programs.program("easy", steps[-1][0]) == programs.program("easy", culprit)
    assert steps[-1][1].more.iloc[0] <= 3
    ranked = suspects.ranked({"easy": steps})
    assert ranked.loc["easy", 0].equals(steps[0][1]) and ranked.index.unique("changes before").tolist() == [0, 1, 2]


def test_who_wins_when_months_are_drawn_anew_adds_up_to_one():
    index = pd.MultiIndex.from_product(
        [["a"], ["x", "y"], ["KTH"], ["1", "2", "3"]], names=["detail", "reading", "trace", "month"]
    )
    fits = pd.DataFrame({"log_likelihood": [9, 0, 0, 1, 1, 1]}, index=index)
    shares = suspects.wins(fits)
    assert shares.sum() == 1
    assert shares["a", "y"] == pytest.approx((2 / 3) ** 3, abs=0.05)  # only if the month of 9 is not drawn


# The questions


def test_the_offset_of_the_months_is_found_from_the_numbers_of_jobs(trace, monkeypatch):
    months, edges = trace.month_edges
    assert edges.tolist() == [0, 31 * 86400 + 3600, 61 * 86400 + 3600]  # the clock is put back in October
    later = replace(trace, months_begin=-9).month_edges[1]
    assert (later == edges - 9 * 3600).all()
    of_print = pd.DataFrame({"jobs": np.histogram(simulate(trace.workload, EASY()).jobs.end, later)[0]}, months)
    monkeypatch.setattr(likely_programs, "printed", lambda trace: of_print)
    found = likely_programs.months({"KTH": trace}, EASY(), np.arange(-12, 13, 3.0), shakes=5)
    assert found.log_likelihood.idxmax() == found.off.idxmin() == ("KTH", -9)
    offsets = likely_programs.offsets(found, {"KTH": trace}).loc["KTH"]
    assert (offsets.hours, offsets.settings) == (-9, 0)


def test_one_clock_shows_midnight_where_the_times_are_epochs_local_or_standard_local_ones(trace):
    edges = trace.month_edges[1]  # midnights at Stockholm, the first of them in summer time, an hour before UTC+2's
    hours = {
        (2, "local times taken for UTC"): (-2, -2, -2),
        (2, "epochs"): (0, -1, -1),
        (2, "standard local times taken for UTC"): (-1, -2, -2),
        (-5, "epochs, a day later"): (31, 30, 30),
        (0, "local times taken for UTC"): (0, 0, 0),
    }
    assert {times for _, times in hours} < set(TAKEN_FOR)
    for clock, expected in hours.items():
        assert ((likely_programs.shown_by(trace, clock) - edges) / 3600).tolist() == list(expected), clock
    first = likely_programs.shown_by(replace(trace, from_first_job=True), (2, "epochs"))
    assert first.tolist() == [trace.workload.jobs.submit.iloc[0], *edges[1:] - 3600]


def test_the_clock_that_the_printed_months_have_is_found(trace, monkeypatch):
    edges = likely_programs.shown_by(trace, (-7, "epochs"))
    counts = np.histogram(simulate(trace.workload, EASY()).jobs.end, edges)[0]
    of_print = pd.DataFrame({"jobs": counts}, trace.month_edges[0])
    monkeypatch.setattr(likely_programs, "printed", lambda trace: of_print)
    found = likely_programs.clocks({"KTH": trace}, EASY(), (-7, 2, 8), shakes=5)
    assert found.log_likelihood.idxmax() == ("KTH", -7, "epochs")
    assert found.off_in_all.min() == found.off_in_all["KTH", -7, "epochs"] < 3


def fits(best, fitted=0.0, traces=("CTC", "SDSC", "Par", "CM5")):
    """Clocks of which one has the likelihood `best`, others -50; hours, of which 3 is fitted and midnight -90."""
    names = ["trace", "zone", "taken_for"]
    clocks = pd.MultiIndex.from_product([traces, (1, 2, 3), TAKEN_FOR], names=names)
    of_clocks = pd.DataFrame({"log_likelihood": -50.0, "off_in_all": 9.0}, clocks)
    for zone, likelihood in best.items():
        of_clocks.loc[(slice(None), zone, "epochs"), :] = likelihood, 2.0
    hours = pd.MultiIndex.from_product([traces, (0.0, 3.0)], names=["trace", "hours"])
    of_hours = np.where(hours.get_level_values("hours") == 0, -90.0, fitted)
    return of_clocks, pd.DataFrame({"log_likelihood": of_hours, "off_in_all": 5.0}, hours)


@pytest.mark.parametrize(
    "best, fitted, holds",
    [
        ({2: -10.0}, -40.0, True),
        ({2: -10.0, 3: -10.5}, -40.0, False),  # another clock does as well
        ({2: -10.0, 3: -5.0}, -40.0, False),
        ({2: -10.0}, 0.0, False),  # fitted hours are likelier, whatever they cost
        ({2: -10.0}, -11.0, False),  # and here they cost less than the clock's readings
    ],
)
def test_one_clock_is_found_only_where_no_other_and_no_fitted_hours_do_as_well(best, fitted, holds):
    found = likely_programs.jerusalem(*fits(best, fitted))
    assert found[0] == holds and found[2]["jobs"] == 8 and found[2]["fitted"] == 20
    assert likely_programs.jerusalem(*fits(best, fitted, ("CTC", "SDSC")))[0] is None


def test_numbers_of_jobs_are_not_counted_on_the_paragon_without_its_lost_jobs():
    traces = {"CTC": lossy().under(RESTORED), "Par": replace(lossy(), trace="Par", lost=None)}
    found = likely_programs.months(traces, EASY(), np.array([0.0]), shakes=2)
    assert list(found.index.unique("trace")) == ["CTC"]


@pytest.mark.parametrize("name", ["CTC-SP2", "KTH-SP2", "SDSC-SP2", "SDSC-Par-96", "LANL-CM5"])
def test_months_begin_when_the_printed_numbers_of_jobs_say_with_lost_jobs_put_back(log, name):
    setting = next(setting for setting in mualem2001.settings() if setting["log"] == name)
    log(setting["log"])
    found = next(one for one in mualem2001.traces([setting["trace"]])[0] if one.months == tuple(setting["months"]))
    months = likely_programs.months({name: found.under(RESTORED)}, EASY(), shakes=5)
    assert months.log_likelihood.idxmax()[1] == pytest.approx(found.months_begin, abs=1)


@pytest.fixture
def judged(trace, monkeypatch):
    """Runs of two programs, and a Table 1 that the text's program printed."""
    conservative = programs.program("conservative")
    text = {"easy": EASY(), "conservative": conservative}
    other = {"easy": programs.program("easy", {"backfilled in a pass": "one job"}), "conservative": conservative}
    once = [shaken(trace, policy, 1, seed=50).iloc[0].unstack().add_prefix(f"{who}_") for who, policy in text.items()]
    monkeypatch.setattr(likely_programs, "printed", lambda trace: pd.concat(once, axis=1))
    return {name: monthly(trace, suspect, shakes=20) for name, suspect in (("text", text), ("other", other))}


def test_a_program_has_the_numbers_that_it_printed_in_its_bands(trace, judged):
    standing = likely_programs.standing(dict.fromkeys(judged, {"KTH": trace}), judged)
    assert (standing.standing.abs() <= 1).equals(standing.verdict == verdicts.INSIDE)
    inside = (standing.verdict == verdicts.INSIDE).groupby(["scheduler", "program"]).sum()
    assert inside["easy", "text"] >= 3 > inside["easy", "other"] and len(standing) == 2 * 2 * 2 * 2


def test_conclusions_count_the_months_that_each_program_has_easy_win(trace, judged):
    found = likely_programs.conclusions({"KTH": trace}, judged)
    runs = {scheduler: judged["text"]["KTH", scheduler] for scheduler in ("easy", "conservative")}
    differences = runs["conservative"] / runs["easy"] - 1
    won = (differences.xs("response_s", axis=1, level="metric") > 0).sum(axis=1)
    row = found.loc["KTH", "response_s", "text"]
    assert (row.won_low, row.won_high) == tuple(won.quantile([0.025, 0.975]))
    of_print = found.loc["KTH", "response_s", "as printed"]
    assert of_print.won_low == of_print.won_high and of_print.months == 2


def test_other_estimates_are_witnesses_of_runs_with_these(trace):
    kinds = {"f1": "exact", "x2": Scaled(2)}
    text = {"easy": EASY(), "conservative": Conservative()}
    found = likely_programs.witnesses({"KTH": trace}, {"text": text}, kinds, shakes=3)
    assert (found.cells == 2).all() and found.index.unique("estimates").tolist() == ["f1", "x2"]
    doubled = trace.workload.with_estimates(Scaled(2))
    measures = [simulate(doubled.shake(60, seed), EASY()) for seed in range(3)]
    runs = pd.DataFrame(
        [
            {"response_s": s.jobs.response.mean(), "bounded_slowdown": MEASURES["bounded_slowdown"](s).mean()}
            for s in measures
        ]
    )
    of_print = {"response_s": 15060, "bounded_slowdown": 80.0}
    expected = suspects.log_likelihood(runs, of_print)
    assert found.log_likelihood["easy", "text", "KTH", "x2"] == pytest.approx(expected)
    assert likely_programs.witnesses({}, {}, kinds).empty


# The findings


def steps(detail, readings, gains, resampled):
    """One step of a search in which readings of a detail have these gains on two traces."""
    index = pd.MultiIndex.from_tuples([*((detail, reading) for reading in readings), ("", "")])
    gains = np.array([*gains, [0.0, 0.0]])
    table = pd.DataFrame({"CTC": gains[:, 0], "KTH": gains[:, 1], "all": gains.sum(axis=1)}, index)
    return [({}, table.assign(more=table["all"], inside=0.5, resampled=[*resampled, 0.0]))]


@pytest.mark.parametrize(
    "gains, resampled, holds",
    [
        ([[40.0, 9.0]], [0.99], True),
        ([[40.0, -1.0]], [0.99], False),  # one log speaks against it
        ([[1.0, 1.0]], [0.99], False),  # too little in all
        ([[40.0, 9.0]], [0.6], False),  # owed to a few months
    ],
)
def test_that_extra_processors_were_shared_is_found_only_where_all_logs_say_so(gains, resampled, holds):
    of_search = steps("extra processors", ["never used up"], gains, resampled)
    found = likely_programs.shared_extra(of_search, elsewhere(9))
    assert found[0] == holds and f"log likelihood {sum(gains[0]):+.0f} " in found[1]
    assert likely_programs.shared_extra(of_search, elsewhere(-1))[0] == (OPEN if holds else False)


def elsewhere(gain):
    """How likely Tables 3 and 4 are by two programs and the text's, on CTC more so by a gain under two estimates."""
    levels = {"scheduler": ("easy", "conservative"), "suspect": ("text", "likely", END)}
    levels |= {"trace": ("CTC", "KTH"), "estimates": ("f1", "x2")}
    index = pd.MultiIndex.from_product(levels.values(), names=levels)
    likelier = ~index.isin(["text"], level="suspect") & index.isin(["CTC"], level="trace")
    return pd.DataFrame({"log_likelihood": np.where(likelier, gain / 2, 0), "inside": 1, "cells": 2}, index)


@pytest.mark.parametrize(
    "conservative, gain, holds",
    [
        ({"compressed in order of": "start"}, 9, True),
        ({}, 9, False),  # the search ends elsewhere
        ({"compressed in order of": "start"}, 2, False),  # Tables 3 and 4 hardly say so
        ({"compressed in order of": "start"}, -9, False),
    ],
)
def test_restored_logs_speak_for_the_same_programs_only_where_the_search_and_other_tables_say_so(
    conservative, gain, holds
):
    before = {"easy": [({}, None), ({"a": "b"}, None)], "conservative": [({"compressed in order of": "start"}, None)]}
    after = before | {"conservative": [({}, None), (conservative, None)]}
    found = likely_programs.same_again(before, after, elsewhere(gain))
    assert found[0] == holds and f"easy {gain:+.0f}" in found[1]
    assert likely_programs.same_again(before, {}, elsewhere(gain))[0] is None


@pytest.mark.parametrize("inside, holds", [((50, 90), [True, True]), ((95, 97), [False, False])])
def test_cells_inside_are_counted_on_the_sp2_logs_alone(inside, holds):
    rows = {
        (program, scheduler, trace, str(month), "response_s"): "inside" if month < count or trace == "CM5" else "off"
        for program, count in zip(("text", "likely", END), (*inside, 99), strict=True)
        for scheduler in ("easy", "conservative")
        for trace in ("CTC", "CM5")
        for month in range(100)
    }
    names = ["program", "scheduler", "trace", "month", "metric"]
    standing = pd.DataFrame({"verdict": pd.Series(rows).rename_axis(names)})
    found = likely_programs.text_misses(standing), likely_programs.likely_meets(standing)
    assert [one[0] for one in found] == holds and found[1][2]["share"] == inside[1] / 100
    assert likely_programs.text_misses(standing.drop("CTC", level="trace"))[0] is None


@pytest.mark.parametrize("sdsc, holds", [((8, 15, 19), True), ((13, 15, 19), False), ((8, 20, 19), False)])
def test_a_lead_is_gone_only_where_half_the_months_are_possible_and_what_is_printed_is_not(sdsc, holds):
    low, high, printed = sdsc
    rows = {
        ("SDSC", "bounded_slowdown", "text"): (24, low, high),
        ("SDSC", "bounded_slowdown", "as printed"): (24, printed, printed),
        ("CM5", "response_s", "text"): (20, 5, 11),
        ("CM5", "response_s", "as printed"): (20, 14, 14),
    }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["months", "won_low", "won_high"])
    table.index = pd.MultiIndex.from_tuples(table.index, names=["trace", "metric", "program"])
    assert likely_programs.undecided(table)[0] == holds
    assert likely_programs.undecided(table.loc[["SDSC"]])[0] is None


# The notebook

FEW = {"shakes": 3, "text_shakes": 3, "likely_shakes": 3}


@pytest.mark.thorough
def test_the_notebook_puts_lost_jobs_back_and_holds_a_fourth_program_against_the_others_if_one_is_added(
    root, monkeypatch
):
    """A log that lost jobs in August: its months lack it but with the lost jobs back."""
    monkeypatch.setattr(suspects, "alternatives", lambda trace: {"as settled": trace})
    more = 'named = {"one job": text | {"easy": one_job}, '
    one_job = 'one_job = programs.program("easy", {"backfilled in a pass": "one job"})\n'
    logs = trace_logs(lossy())
    made = executed("mualem2001/detective", {"named = {": one_job + more}, {"logs": logs}, logs=["CTC"], **FEW)
    standing, picture = made["standing"], made["picture"]
    names = ["one job", "text", "likely", END, "likely, lost jobs back"]
    assert list(standing.index.unique("program")) == names
    assert [ax.get_title("left") for ax in picture.axes][: len(names)] == names
    months = {name: list(standing.loc[name].index.unique("month")) for name in names}
    assert months["text"] == ["1996-07", "1996-09"] and months[names[-1]] == ["1996-07", "1996-08", "1996-09"]
    assert list(made["conclusions"].index.unique("program")) == ["as printed", *names]
    assert set(made["conclusions"].months) == {2}
    assert made["steps_again"] and "easy" in texts(picture.legends[0])[0].lower()
    found = verdict_by_id(made["found"])
    assert {found[id] for id in ("OWN-05", "OWN-06", "OWN-50")} == {UNTESTED}
    assert UNTESTED not in (found["OWN-01"], found["OWN-10"])
    assert len(list(root.rglob("mualem2001_detective*.csv"))) == 9
