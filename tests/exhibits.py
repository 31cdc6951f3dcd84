"""What tests of the study build and run: notebooks, logs of the papers, judged numbers and decided claims."""

import shutil
from contextlib import contextmanager

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
from helpers import BURST, ROOT, thinned

from simlib import Workload
from simlib._util import paths
from simlib_study import claims, judging, mualem2001, tang2013
from simlib_study.judging import CALENDAR, LIKELY, RESTORED, TEXT
from simlib_study.mualem2001.restored import Lost
from simlib_study.resampling import Interval


def lossy(condition="", estimates="user", **of_user):
    """A trace, called CTC, that is the sample without user 7's burst, of which is known what the paper says."""
    w = thinned(lambda log: ~log.job.between(3001, 3100), BURST, start=pd.Timestamp("1996-07-01", tz="US/Eastern"))
    like = {"user": 7, "run": 60, "procs": 2, "requested_time": [600, 700], "status": 1}
    lost = Lost(w, [like | of_user], condition, estimates)
    taken = (w.select(condition) if condition else w).with_estimates(estimates)
    return mualem2001.Trace("CTC", taken, ("1996-07", "1996-09"), {"1996-08": 100}, lost=lost)


def trace_logs(*traces, absent=()):
    """Traces as `study.logs` gives them, and the settings of those that are absent."""
    kind = tang2013 if isinstance(traces[0], tang2013.Trace) else mualem2001
    made = kind.TraceLogs({each.name: each.workload for each in traces}, {each.name: each for each in traces})
    made.absent_settings = absent
    return made


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


def claimed(id, verdict, note="", **others):
    """The record of a verdict on a claim, from parts made up for it, by the text and by other readings."""
    said = {TEXT: verdict} | others
    readings = {reading: measured(id, one) for reading, one in said.items() if one != claims.UNTESTED}
    return claims.decide(id, readings, note)


def read_as(word, policy="EASY", log="KTH"):
    """A policy and a log under the names that a summary calls by this word."""
    differs, of_log = word in (LIKELY, RESTORED), f", {word}" if word in (RESTORED, CALENDAR) else ""
    return {"policy": f"{policy}, differently" if differs else policy, "log": log + of_log}


def of_word(cell, word):
    """What the record of a number has under a word of a summary."""
    return next(one for one in cell["readings"] if judging.word(one.get("policy", ""), one["log"]) == word)


def judged_cell(of, published, readings, close=0.05, decimals=None, unjudged=None, note=""):
    """A judged number as a record has it: ours by the word of a summary, pairs of a number and its interval."""
    readings = readings if isinstance(readings, dict) else {TEXT: (readings, None)}
    judged = []
    for word, (ours, interval) in readings.items():
        known = interval or Interval(ours, ours, ours)
        verdict = (unjudged or {}).get(word) or judging.verdict_on(published, known, close, decimals)
        verdict = judging.ABSENT if ours != ours else verdict
        off = judging.deviation(ours, published) if published else float("nan")
        names = read_as(word, of.get("policy", "EASY"), of.get("log", "KTH"))
        judged.append(names | {"ours": ours, "deviation": off, **vars(known), "verdict": verdict})
    cell = {"exhibit": "mualem2001_table1", "of": of, "published": published, "readings": judged}
    return cell | ({"note": note} if note else {})


def measured(id, verdict):
    """Measures of all parts of a claim that make this verdict; the parts have to be two for one in between."""
    parts = claims.criteria()[id].values()
    all_parts = {claims.REPRODUCED: [claims.HOLDS], claims.NOT: [claims.HOLDS_NOT], claims.INCONCLUSIVE: [claims.OPEN]}
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
