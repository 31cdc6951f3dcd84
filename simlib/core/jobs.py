"""Prepare the jobs table of a workload: its columns, which jobs take part, their order, which job follows which."""

import numpy as np
import pandas as pd

from .._util.arrays import Ints, copied, in_order

COLUMNS = ["submit", "run", "procs", "estimate", "user", "group", "app", "queue", "status"]
"""The columns of `Workload.jobs`, all int64: seconds since the log's start, seconds, processors, seconds, and numbers
that stand for names; -1 where not known. `status` is SWF's: 1 completed, 0 failed, 5 cancelled."""

NO_RUN = "run time unknown"
NO_PROCS = "no processors recorded"
TOO_LARGE = "larger than the machine"


def completed(jobs: pd.DataFrame, name: str) -> pd.DataFrame:
    """Give a jobs table all `COLUMNS`, as int64."""
    refuse_labels(jobs.index, f"{name}: jobs")
    if list(jobs) == COLUMNS and all(dtype == np.int64 for dtype in jobs.dtypes):  # as of most that are derived
        return copied(jobs)
    missing = {"submit", "run", "procs"} - set(jobs.columns)
    if missing:
        raise ValueError(f"{name}: jobs: missing column {', '.join(sorted(missing))}; expected submit, run and procs")
    absent = {column: -1 for column in COLUMNS if column not in jobs} | (
        {} if "estimate" in jobs else {"estimate": jobs.run}
    )
    jobs = jobs.assign(**absent)[COLUMNS]
    for column in COLUMNS:
        if jobs[column].dtype == np.int64:
            continue
        try:
            whole = jobs[column].astype("int64")
            exact = bool((whole == jobs[column]).all())
        except (ValueError, TypeError, OverflowError):  # nan, inf, words
            exact = False
        if not exact:
            raise ValueError(f"{name}: jobs: column {column}: expected whole numbers")
        jobs[column] = whole
    return jobs


def refuse_labels(labels: pd.Index, where: str) -> None:
    """Check that each job has a label of its own, by which what is found of it is put beside it."""
    absent = np.any([labels.get_level_values(level).isna() for level in range(labels.nlevels)], axis=0)
    if labels.is_unique and not absent.any():
        return
    first = int((absent if absent.any() else labels.duplicated(keep=False)).argmax())
    of_label = labels.factorize()[0]
    label, same = labels[first], np.flatnonzero(of_label == of_label[first])
    places = f"position{'s' * (len(same) > 1)} {' and '.join(map(str, same[:2]))}{' and others' * (len(same) > 2)}"
    raise ValueError(
        f"{where}: found label {label} at {places}, expected one for each job; number them anew, with "
        "pd.concat([...], ignore_index=True) or jobs.reset_index(drop=True), and the lines of a log with them"
    )


def taking_part(jobs: pd.DataFrame, procs: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Drop the jobs that a machine cannot run: run time or size unknown, or larger than it is."""
    out = ((jobs.run < 0) | (jobs.procs <= 0) | (jobs.procs > procs)).to_numpy()
    others = jobs[out]  # few, for words take long
    reason = np.select([others.run < 0, others.procs <= 0], [NO_RUN, NO_PROCS], default=TOO_LARGE)
    return jobs[~out] if out.any() else jobs, others.assign(dropped=pd.Series(reason, others.index, dtype=object))


def by_arrival(jobs: pd.DataFrame) -> pd.DataFrame:
    """Put jobs in order of submit time, equal ones as they were."""
    submit = jobs.submit.to_numpy()
    return jobs if (submit[1:] >= submit[:-1]).all() else jobs.iloc[in_order(submit)]


def unrequested(jobs: pd.DataFrame, log: pd.DataFrame | None) -> pd.Index:
    """Find the jobs whose log has no requested time, so that the run time takes its place."""
    if log is None or "requested_time" not in log:
        return jobs.index[:0]
    return log.index[log.requested_time.to_numpy() <= 0.5]  # half a second is rounded to none


def followed(jobs: pd.DataFrame, log: pd.DataFrame | None, name: str) -> tuple[Ints, Ints]:
    """Find which job each job follows by the log's fields 17 and 18: see `simlib.Workload.followed`."""
    if log is None or not (log.preceding.loc[jobs.index] > 0).any():
        raise ValueError(
            f"{name}: found no job with a preceding one, so there is no feedback; expected a log with fields "
            "17 (number of the preceding job) and 18 (think time in seconds)"
        )
    line = log.index.get_indexer(jobs.index)
    log = log.iloc[line]
    if not log.job.is_unique:
        raise ValueError(f"{name}: feedback: found jobs of the same number, expected a number for every job")
    place = pd.Index(log.job).get_indexer(log.preceding)
    submit, think = log.submit.to_numpy(), log.think.round().to_numpy(np.int64)
    before = (submit[place] < submit) | ((submit[place] == submit) & (line[place] < line))
    follows = (log.preceding > 0).to_numpy() & (think >= 0) & (place >= 0) & before
    return np.where(follows, place, -1), np.where(follows, think, 0)
