"""What several test modules build, compare and read; what needs setting up and taking down is in `conftest.py`."""

import functools
import math
import re
import shutil
from contextlib import contextmanager
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

from simlib import (
    EASY,
    FCFS,
    Conservative,
    Multifactor,
    Predictions,
    Selective,
    SlurmBackfill,
    Thresholded,
    Workload,
    load,
    simulate,
)
from simlib._util import paths
from simlib.analysis.stats import Interval
from simlib.explain import first_difference
from simlib.logs.swf import FIELDS, jobs_of
from simlib.models.sample import sample
from simlib_study import claims, mualem2001, tang2013, verdicts
from simlib_study.mualem2001.restored import Lost
from simlib_study.verdicts import TEXT

ROOT = Path(__file__).parent.parent


PACKAGES = "simlib", "simlib_study", "simlib_report", "simlib_course"

API = [
    f"{package}.{name}"
    for package, names in re.findall(
        r"currentmodule:: (\w+)\n(.*?)(?=\n\.\. currentmodule|\Z)", (ROOT / "docs" / "api.md").read_text("utf-8"), re.S
    )
    for name in re.findall(r"^ {3}([a-z_.A-Z0-9]+)$", names, flags=re.M)
]
"""What is public; all else is private."""


def listing(folder):
    """The names of what lies in a folder, sorted; none where there is no folder."""
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


# Workloads


def table(rows, machine, **options):
    """A Workload of (submit, run, estimate, procs) rows."""
    return Workload(
        pd.DataFrame(rows, columns=["submit", "run", "estimate", "procs"], dtype="int64"), machine, **options
    )


def numbered(rows, machine, follows=None, **options):
    """Jobs 1, 2, ... of (submit, run, estimate, procs) and perhaps user and group, with the lines of their log.

    There `follows[job] = preceding job, think time`.
    """
    columns = ["submit", "run", "estimate", "procs", "user", "group"][: len(rows[0])]
    jobs = pd.DataFrame(rows, columns=columns, dtype="int64")
    jobs.index = pd.RangeIndex(1, len(jobs) + 1, name="job")
    log = pd.DataFrame(-1, index=jobs.index, columns=FIELDS)
    log = log.assign(job=jobs.index, requested_time=jobs.estimate, **jobs.drop(columns="estimate"))
    if follows:
        log.loc[list(follows), ["preceding", "think"]] = list(follows.values())
    return Workload(jobs, machine, log=log, **options)


def random_workload(seed, jobs=400, machine=64, exact=False, overrun=True, shortest=0):
    """A busy machine: a load near one, sizes and lengths of all kinds."""
    rng = np.random.default_rng(seed)
    run = np.maximum(np.where(rng.random(jobs) < 0.1, 0, rng.geometric(1 / 100, jobs)), shortest)
    size = np.minimum(rng.geometric(4 / machine, jobs), machine)
    factor = rng.choice([1, 1.5, 4, 50, 0.5 if overrun else 2], jobs)
    estimate = run if exact else (run * factor).astype(int)
    submit = np.cumsum(rng.integers(0, int(2 * run.mean() * size.mean() / machine) + 1, jobs))
    return table(np.column_stack([submit, run, estimate, size]), machine)


def busy_users(seed, jobs=60, machine=16):
    """A busy machine of three users, whose jobs run for hours."""
    made = random_workload(seed, jobs=jobs, machine=machine).jobs
    rng = np.random.default_rng(seed)
    rows = made[["submit", "run", "estimate"]].to_numpy() * 60
    return numbered(np.column_stack([rows, made.procs, rng.integers(1, 4, (jobs, 2))]), machine)


@st.composite
def small_workloads(draw):
    """Few jobs on a small machine, where ties, jobs of no length and full-machine jobs are frequent."""
    machine = draw(st.integers(1, 8))
    gap = st.sampled_from([0, 0, 0, 1, 2, 5, 9])
    run = st.sampled_from([0, 1, 2, 3, 5, 8, 13, 40])
    error = st.sampled_from([-4, -1, 0, 0, 0, 1, 2, 5, 10, 30, 1000])  # overruns, exact, loose and huge estimates
    size = st.one_of(st.integers(1, machine), st.just(machine))
    drawn = draw(st.lists(st.tuples(gap, run, error, size), min_size=1, max_size=12))
    submit = np.cumsum([gap for gap, *_ in drawn])
    return machine, [(int(s), r, max(r + e, 0), p) for s, (_, r, e, p) in zip(submit, drawn, strict=True)]


@st.composite
def crowded(draw, chains=False):
    """As `small_workloads`, of a few users; with chains most jobs follow an earlier one, several perhaps the same."""
    machine, rows = draw(small_workloads())
    who = st.integers(-1, 2)
    rows = [(*row, draw(who), draw(who)) for row in rows]
    rows[0] = (*rows[0][:4], 0, 0)  # somebody is known
    follows = {}
    for job in range(2, len(rows) + 1) if chains else ():
        if draw(st.integers(0, 3)):
            follows[job] = draw(st.integers(1, job - 1)), draw(st.sampled_from([-1, 0, 0, 0, 1, 2, 5, 20]))
    if chains and not follows:
        follows = {2: (1, -1)} if len(rows) > 1 else {1: (7, 0)}
    return numbered(rows, machine, follows)


seeds = given(seed=st.integers(0, 2**32))


@functools.cache
def first_days(days):
    """What the sample has of its first days."""
    w = sample()
    return w.select((w.jobs.submit < days * 86400).to_numpy())


def with_gpus(w, seed):
    """The same jobs on a machine with one to six GPUs, of which half of the jobs need some."""
    rng = np.random.default_rng(seed)
    machine = int(rng.integers(1, 7))
    gpus = np.where(rng.random(len(w)) < 0.5, 0, rng.integers(0, machine + 1, len(w)))
    gpus[0] = 1
    return Workload(w.jobs.assign(gpus=gpus), w.procs, gpus=machine, log=w.log)


def past(end):
    """An earlier job that ended then, as adjusted estimates know it."""
    return pd.DataFrame({"user": [1], "group": [1], "run": [60], "estimate": [90], "end": [end]})


def random_jobs(jobs=2000, seed=1, procs=16):
    """A queue of parallel jobs with exact estimates, as the models give them."""
    rng = np.random.default_rng(seed)
    submit = np.cumsum(rng.exponential(100, jobs)).astype(int)
    run, size = 1 + rng.exponential(500, jobs).astype(int), 2 ** rng.integers(0, 5, jobs)
    return Workload(pd.DataFrame({"submit": submit, "run": run, "procs": size}), procs)


def unhurried(runs):
    """Jobs that never wait, one a second, on a machine as large as all together; response times are run times."""
    jobs = pd.DataFrame({"submit": np.arange(len(runs)), "run": runs, "procs": 1})
    return Workload(jobs, len(runs))


def thinned(keep, *header, start=None):
    """The sample without some jobs, with a header that says so."""
    log = load("sample").log
    log = log[keep(log)]
    return Workload(jobs_of(log), 128, "thinned", header=header, log=log, start=start)


BURST = "user=7 and (job>=3001 and job<=3100) (100 jobs removed)"
"""A line of a header that says that user 7's burst in the middle of August was taken out."""


def lossy(condition="", estimates="user", **of_user):
    """A trace, called CTC, that is the sample without user 7's burst, of which is known what the paper says."""
    w = thinned(lambda log: ~log.job.between(3001, 3100), BURST, start=pd.Timestamp("1996-07-01", tz="US/Eastern"))
    like = {"user": 7, "run": 60, "procs": 2, "requested_time": [600, 700], "status": 1}
    lost = Lost(w, [like | of_user], condition, estimates)
    taken = (w.select(condition) if condition else w).with_estimates(estimates)
    return mualem2001.Trace("CTC", taken, ("1996-07", "1996-09"), {"1996-08": 100}, lost=lost)


def trace_logs(*traces):
    """Traces as `study.logs` gives them."""
    return mualem2001.TraceLogs({each.trace: each.workload for each in traces}, {each.trace: each for each in traces})


# Policies


def starts(rows, machine, policy, **options):
    """The start times of (submit, run, estimate, procs) rows."""
    return simulate(table(rows, machine), policy, **options).jobs.start.tolist()


def differing(one, other):
    """The columns in which two schedules of the same jobs differ."""
    return [name for name in ("submit", "start", "backfilled") if not one.jobs[name].equals(other.jobs[name])]


def longest_waiting_first_of_small(wait, estimate, procs):
    return wait - 3 * procs


POLICIES = {
    "FCFS": FCFS(),
    "EASY": EASY(),
    "EASY reusing extra": EASY(reuse_extra=True),
    "EASY, sjf": EASY(order="sjf"),
    "EASY, wfp": EASY(order="wfp"),
    "EASY, own order, reusing extra": EASY(reuse_extra=True, order=longest_waiting_first_of_small),
    "Conservative": Conservative(),
    "Conservative by start": Conservative("start"),
    "Conservative uncompressed": Conservative("none"),
    "Conservative rebackfilled": Conservative("rebackfill"),
}
"""The policies of MF section 2, with their options."""

every_policy = pytest.mark.parametrize("policy", POLICIES.values(), ids=list(POLICIES))


def young_users_first(user, wait, procs):
    return user * 100 + wait - procs


def cosy(procs, estimate, window, extra, free, usage, machine, now, group, queue):
    return procs * min(estimate, window) - extra + usage + free / machine + now % 7 + group - queue


def widest_of_its_group(group, procs):
    return 100 * group + procs


BEYOND = {
    "FCFS, shortest first": FCFS(order="sjf"),
    "FCFS, fair": FCFS(order=Multifactor()),
    "EASY, shortest first, best fit": EASY(order="sjf", backfill="best-fit"),
    "EASY, widest of each group first": EASY(order=widest_of_its_group),
    "EASY, backfilling by arrival": EASY(order="wfp", backfill="arrival"),
    **{f"EASY, {order}": EASY(order=order) for order in ("unicef", "expansion factor", "f1", "f2", "f3", "f4")},
    "EASY, smallest area first": EASY(order="smallest area", backfill="expansion factor"),
    "EASY, smallest area first but for the starved": EASY(order=Thresholded("smallest area", 20)),
    "FCFS, by F4 but for the starved": FCFS(order=Thresholded("f4", 60)),
    "EASY-SJBF": EASY(backfill="sjf"),
    "EASY, best fit": EASY(backfill="best-fit"),
    "EASY, largest": EASY(backfill="largest"),
    "EASY, largest, by WFP": EASY(order="wfp", backfill="largest"),
    "EASY, smallest area, reusing extra": EASY(reuse_extra=True, backfill="smallest area"),
    "EASY, both orders one's own": EASY(order=young_users_first, backfill=cosy),
    "EASY, lookahead": EASY(backfill="lookahead"),
    "EASY, lookahead, shortest first": EASY(order="sjf", backfill="lookahead"),
    "EASY++": EASY.plus_plus(),
    "EASY, predictions, lookahead": EASY(adjust=Predictions(), backfill="lookahead"),
    "EASY, predictions for running jobs": EASY(order="sjf", adjust=Predictions(queue=False, backfill=False)),
    "EASY, predictions but for running jobs": EASY(order="wfp", adjust=Predictions(running=False)),
    "EASY+ by jobs of the same estimate": EASY(adjust=Predictions("same estimate")),
    "EASY+ without correction": EASY(adjust=Predictions(correct=False)),
    "EASY-PCOR": EASY(adjust=Predictions("estimate")),
    "EASY-PCOR, reusing extra": EASY(reuse_extra=True, adjust=Predictions("estimate")),
    "PERFECT++": EASY(adjust=Predictions("exact"), backfill="sjf"),
    "two reservations": EASY(reservations=2),
    "three reservations, shortest first": EASY(reservations=3, order="sjf"),
    "all reservations, one's own order": EASY(reservations=math.inf, order=young_users_first),
    "selective": Selective(2),
    "selective, adaptive": Selective("adaptive"),
    "selective, by WFP": Selective(3, order="wfp"),
    "conservative, shortest first": Conservative(order="sjf"),
    "conservative, fair": Conservative(order=Multifactor(half_life_days=0.01)),
    "fair share of groups": EASY(order=Multifactor(1, 2, 3, 0.01, 0.01, "group")),
}
"""The policies between and beyond EASY and conservative backfilling."""

SLURM = {
    "Slurm": SlurmBackfill(),
    "Slurm to a depth of two, short cycles": SlurmBackfill(depth=2, interval=3, resolution=5),
    "Slurm with a short window, shortest first": SlurmBackfill("sjf", window=20, interval=1, resolution=3),
    "Slurm by fair share": SlurmBackfill(Multifactor(half_life_days=0.01), depth=3, interval=10),
}
"""Slurm's cycles."""

every_policy_beyond = pytest.mark.parametrize("policy", BEYOND.values(), ids=list(BEYOND))


def equals_the_reference(schedule, **options):
    """Hold the engine's schedule against the reference's in all that both tell."""
    slow = reference.simulate(schedule.workload, schedule.policy, **options)
    difference = first_difference(schedule, slow)
    assert difference is None, difference
    pd.testing.assert_frame_equal(schedule.jobs, slow.jobs)
    assert (schedule.shadow is None) if slow.shadow is None else schedule.shadow.equals(slow.shadow)


# The study


def tang_trace(jobs, machine=8, name="made up", project="group", synthetic=False):
    """A trace of jobs that did not wait: a DataFrame of submit, run, estimate, and if it likes procs, user, group."""
    absent = {"procs": 1, "user": 1, "group": 1}
    jobs = jobs.assign(**{column: value for column, value in absent.items() if column not in jobs})
    jobs = jobs.set_axis(range(11, 11 + len(jobs)))  # as in a log from which jobs are left out
    log = jobs.assign(wait=0, requested_time=jobs.estimate)
    options = {"log": log, "start": pd.Timestamp("2009-01-01"), "synthetic": synthetic}
    return tang2013.Trace(name, Workload(jobs, machine, name, **options), project)


def code_cells(name):
    """What stands in a notebook's code cells: of that with the parameters, and of each of the others."""
    cells = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells
    tagged, *others = (cell for cell in cells if cell.cell_type == "code")
    assert "parameters" in tagged.metadata.tags
    return tagged.source, [cell.source for cell in others]


@contextmanager
def _right_columns():
    """Fail where `unstack(sort=False)` names columns wrongly, as pandas does where some values were filtered away."""
    with pytest.MonkeyPatch.context() as patch:
        for kind in (pd.Series, pd.DataFrame):

            def checked(self, level=-1, *others, unstack=kind.unstack, **options):
                unstacked = unstack(self, level, *others, **options)
                if options.get("sort") is False and isinstance(self.index, pd.MultiIndex):
                    clean = self.set_axis(self.index.remove_unused_levels())
                    pd.testing.assert_index_equal(unstacked.columns, unstack(clean, level, *others, **options).columns)
                return unstacked

            patch.setattr(kind, "unstack", checked)
        yield


def executed(name, edits=None, given=None, until=None, **parameters):
    """Run the code cells of a notebook by other parameters than its own; gives its variables.

    `edits` are other texts by those that stand in cells. What a cell makes by a name of `given` is replaced by what is
    given, or by what a function makes of it. Cells from the one that has the text `until` on are not run.
    """
    tagged, cells = code_cells(name)
    file = paths.ROOT / "notebooks" / f"{name}.ipynb"
    if not file.exists():  # what the study has, beside which what is run is held
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "notebooks" / f"{name}.ipynb", file)
    for old, new in (edits or {}).items():
        assert any(old in cell for cell in cells), f"{name}: no cell has {old!r}"
        cells = [cell.replace(old, new) for cell in cells]
    injected = "".join(["# Parameters\n", *(f"{each} = {value!r}\n" for each, value in parameters.items())])
    variables = {"__name__": "__main__", "display": lambda *shown: None, "In": [tagged, injected]}
    exec(tagged, variables)
    variables |= parameters
    left = dict(given or {})
    as_it_was = pd.option_context("display.float_format", None)
    with plt.rc_context(), as_it_was, _right_columns():  # a notebook sets styles for all that comes after it
        for number, cell in enumerate(cells, 2):
            if until is not None and until in cell:
                break
            variables["In"].append(cell)
            exec(compile(cell, f"{name}, code cell {number}", "exec"), variables)
            for made in [made for made in left if made in variables]:
                new = left.pop(made)
                variables[made] = new(variables[made]) if callable(new) else new
    assert not left, f"{name}: no cell makes {', '.join(left)}"
    return variables


def verdict_by_id(claims):
    """The verdicts on claims, by their ids."""
    return {claim["id"]: claim["verdict"] for claim in claims}


def parts(claim):
    """The verdicts on the parts of a claim by the text."""
    return {one["part"]: one["verdict"] for one in claim["readings"][TEXT]["parts"]}


def texts(of):
    """What is written in a figure, or in its axes."""
    return [text.get_text() for text in of.texts]


def legend(figure):
    """The entries of a figure's first legend."""
    return texts(figure.legends[0])


def words(figure):
    """What stands in a figure's legends, above its panels and at their axes."""
    labels = [text for one in figure.legends for text in one.texts]
    labels += [text for ax in figure.axes for text in (*ax.get_xticklabels(), *ax.get_yticklabels())]
    return {text.get_text() for text in labels} | {ax.get_title("left") for ax in figure.axes}


def means(workload, policy, estimates=None, shake_s=60, seed=None):
    """Mean response time and bounded slowdown (MF's formula) of a workload, shaken if there is a seed, by metric."""
    workload = workload if estimates is None else workload.with_estimates(estimates)
    workload = workload if seed is None else workload.shake(shake_s, seed)
    summary = simulate(workload, policy).summary(floor=None)
    return {"response_s": summary["mean_response"], "bounded_slowdown": summary["mean_bounded_slowdown"]}


# Verdicts


def claimed(id, verdict, note="", **others):
    """The record of a verdict on a claim, from parts made up for it, by the text and by other readings."""
    said = {TEXT: verdict} | others
    readings = {reading: measured(id, one) for reading, one in said.items() if one != claims.UNTESTED}
    return claims.decide(id, readings, note)


def judged_cell(of, published, readings, close=0.05, decimals=None, unjudged=None, note=""):
    """A judged number as a record has it: ours under each rule, pairs of a number and its interval, or one number."""
    readings = readings if isinstance(readings, dict) else {TEXT: (readings, None)}
    judged = {}
    for rule, (ours, interval) in readings.items():
        known = interval or Interval(ours, ours, ours)
        verdict = (unjudged or {}).get(rule) or verdicts.judge(published, known, close, decimals)
        verdict = verdicts.ABSENT if ours != ours else verdict
        off = verdicts.deviation(ours, published) if published else float("nan")
        judged[rule] = {"ours": ours, "deviation": off, **vars(known), "verdict": verdict}
    return {"of": of, "published": published, "readings": judged} | ({"note": note} if note else {})


def measured(id, verdict):
    """Measures of all parts of a claim that make this verdict; the parts have to be two for one in between."""
    parts = claims.criteria()[id].values()
    all_parts = {
        claims.REPRODUCED: [claims.HOLDS],
        claims.NOT: [claims.HOLDS_NOT],
        claims.INCONCLUSIVE: [claims.OPEN],
    }
    kinds = all_parts.get(verdict, [claims.HOLDS, claims.HOLDS_NOT])
    return {one.part: _measure(one, kinds[number % len(kinds)]) for number, one in enumerate(parts)}


def _measure(criterion, verdict):
    low, high = (bound if np.isfinite(bound) else None for bound in (criterion.above, criterion.below))
    low, high = (high - 1 - 9 * abs(high) if low is None else low), (low + 1 + 9 * abs(low) if high is None else high)
    inside, bound = (low + high) / 2, criterion.above if np.isfinite(criterion.above) else criterion.below
    far = 10 + 9 * abs(bound)
    beyond = low - far if np.isfinite(criterion.above) else high + far
    if verdict == claims.OPEN:
        return claims.Measure(bound, bound - far, bound + far)
    return claims.Measure.exactly(inside if verdict == claims.HOLDS else beyond)
