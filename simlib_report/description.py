"""Describe a log for readers, and what is doubtful about it."""

import pandas as pd

from simlib._util.words import duration
from simlib.core.workload import Workload
from simlib.logs.doubts import doubts


def about(workload: Workload) -> pd.DataFrame:
    """Describe a log in a table for readers.

    Examples
    --------
    >>> import simlib
    >>> about(simlib.load("sample")).loc[["jobs", "machine", "users"], ""].to_list()
    ['6,000', '128 processors', '40']
    """
    jobs = workload.jobs
    rows = {"log": workload.name, "jobs": f"{len(jobs):,}", "machine": f"{workload.procs:,} processors"}
    if len(jobs) and workload.start is not None:
        first, last = (workload.time(second) for second in (jobs.submit.iloc[0], jobs.submit.iloc[-1]))
        rows["submitted"] = f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"
    elif len(jobs):
        rows["submitted"] = f"within {duration(jobs.submit.iloc[-1] - jobs.submit.iloc[0])}; the log has no calendar"
    if (load := workload.load) == load:
        rows["offered load"] = f"{load:.2f}"
    for column, name in (("user", "users"), ("group", "groups"), ("queue", "queues")):
        count = jobs[column][jobs[column] >= 0].nunique()
        rows[name] = f"{count:,}" if count else "not recorded"
    for reason, count in workload.dropped.value_counts(sort=False).items():
        rows[f"left out: {reason}"] = f"{count:,}"
    if workload.history:
        rows["selected"] = "; ".join(workload.history)
    return pd.DataFrame({"": rows})


def doubtful(workload: Workload) -> list[str]:
    """List the doubts about a log in sentences, such as the warnings of `simlib.read_swf`.

    Examples
    --------
    >>> import simlib
    >>> doubtful(simlib.load("sample"))
    ['sample: SYNTHETIC: this is no real log, and what follows says nothing of a real machine.']
    """
    sentences = [] if len(workload) else [f"{workload.name}: no job takes part, so nothing can be said of it."]
    if workload.synthetic:
        sentences.append(
            f"{workload.name}: SYNTHETIC: this is no real log, and what follows says nothing of a real machine."
        )
    if workload.start is None:
        sentences.append(f"{workload.name}: the log has no calendar, so nothing is said by month.")
    if any(line.startswith(" Conversion: simlib") for line in workload.header):
        notes = (line.partition("Note: ") for line in workload.header)
        sentences += [f"{workload.name}: {note}." for _, found, note in notes if found]
    return sentences + [f"{doubt}." for doubt in doubts(workload)]
