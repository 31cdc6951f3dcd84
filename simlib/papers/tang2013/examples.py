"""The schedules of Table 3 and Figure 12, small enough to see what over- and underestimates do to backfilling.

The paper draws the figure without numbers. The jobs here are made so that the real engine shows what its text describes
(section 5.1): it adjusts their estimates by what their users' earlier jobs took.
"""

from dataclasses import replace

import pandas as pd

from ... import EASY, Workload, simulate
from ...explain.window import backfill_window, expected_run
from ...walltime import Adjustment, levels

MINUTE, DAY = 60, 86400

DECISION = 60 * MINUTE
"""The second at which jobs 2 to 5 are submitted, and at which the figure looks at the backfill window."""

HEAD = 2

CASES = {
    "users' estimates": (315, {}),
    "job 3 overestimated": (315, {3: 0.5}),
    "job 4 underestimated": (315, {4: 0.8}),
    "job 4 badly underestimated": (360, {4: 0.8}),
    "job 1 overestimated": (315, {1: 0.85}),
    "job 1 underestimated": (315, {1: 0.8}),
    "job 1 badly underestimated": (315, {1: 0.6}),
    "jobs 3 and 4": (315, {3: 0.5, 4: 0.8}),
    "jobs 1, 3 and 4": (315, {1: 0.8, 3: 0.5, 4: 0.8}),
}
"""By case: for how many minutes job 4 runs; which share of their requests the earlier jobs of some users took."""


def figure12(job4=315):
    """Make five jobs for eight nodes; job 4 runs for so many minutes, which no scheduler can know.

    Job 1 runs, and job 2, the head of the queue, has to wait for it; jobs 3 to 5 are candidates for the nodes that are
    free until then. What the users ask for lets in job 5 only.
    """
    jobs = {1: (0, 300, 360, 5), 2: (60, 60, 120, 8), 3: (60, 180, 480, 1), 4: (60, job4, 360, 1), 5: (60, 90, 270, 1)}
    return _workload("Figure 12", jobs)


def two_running():
    """Make jobs of which 1 and 6 run, and job 2 can start when either ends.

    By the users' estimates that is job 6, and leaves no node to spare; job 1 would leave one, on which job 3 could run
    past job 2's start.
    """
    jobs = {1: (0, 300, 360, 4), 6: (0, 180, 240, 3), 2: (60, 60, 120, 4), 3: (60, 180, 480, 1)}
    return _workload("Two running jobs", jobs)


def _workload(name, rows):
    """Jobs, each of a user of its own, given by number as (submit, run, estimate, nodes), times in minutes."""
    jobs = pd.DataFrame.from_dict(rows, orient="index", columns=["submit", "run", "estimate", "procs"])
    jobs[["submit", "run", "estimate"]] *= MINUTE
    return Workload(jobs.assign(user=jobs.index, group=1), 8, name)


def past(jobs, shares):
    """Make ten jobs of each user that ended the day before, and took a share of their requests: 1, or by job."""
    r = pd.Series(1.0, index=jobs.index)
    r.update(pd.Series(shares, dtype=float))
    one = jobs[["user", "group", "estimate"]].assign(run=jobs.estimate * r, end=-DAY)
    return pd.concat([one] * 10, ignore_index=True)


def scheduled(workload, shares, selective=False, order="fcfs"):
    """Simulate EASY with estimates adjusted by what `past` says; without shares, with the users' estimates.

    Regular adjustment is for waiting and running jobs, selective adjustment for waiting jobs only (section 5.2).
    """
    adjust = Adjustment(running=not selective, past=past(workload.jobs, shares)) if shares else None
    return simulate(workload, EASY(order=order, adjust=adjust))


def effects(schedule):
    """Read off what adjusted estimates do at the decision, and what comes of it, as a dict.

    `adjusted` are the jobs that are not taken by their users' estimates, and how they are estimated; `backfilled`, who
    is let in. In minutes: `window_min`, the window's length; of job 2 `promised_min`, `started_min`, `late_min`, the
    one after the other, and `later_min` than by the users' estimates; `mean_wait_min` of all jobs.
    """
    jobs, at = schedule.jobs, backfill_window(schedule, DECISION, HEAD)
    by_users = simulate(schedule.workload, replace(schedule.policy, adjust=None)).jobs
    level = pd.Series(levels(jobs.run, jobs.estimate, expected_run(schedule, DECISION)), index=jobs.index)
    promised, started = at.start[HEAD], jobs.start[HEAD]
    times = {
        "window": promised - DECISION,
        "promised": promised,
        "started": started,
        "late": max(started - promised, 0),
        "later": started - by_users.start[HEAD],
        "mean_wait": jobs.wait.mean(),
    }
    return {
        "adjusted": ", ".join(f"{job} {how}" for job, how in level.items() if how != "NA"),
        "backfilled": ", ".join(str(job) for job in at.index[at.backfilled]),
        **{f"{name}_min": float(seconds / MINUTE) for name, seconds in times.items()},
    }


def study(order="fcfs"):
    """Lay out the effects of every case under both strategies, as a table by (strategy, case)."""
    rows = {
        (strategy, case): effects(scheduled(figure12(job4), shares, strategy == "selective", order))
        for strategy in ("regular", "selective")
        for case, (job4, shares) in CASES.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(index=["strategy", "case"])


def by_share(job, shares, order="fcfs"):
    """Lay out the effects of regular adjustment, and its level, by the share that earlier jobs of a job's user took."""
    rows = {share: effects(scheduled(figure12(), {job: share}, order=order)) for share in shares}
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis(index="share")
    return table.assign(level=table.adjusted.str.split().str[-1].fillna("NA"))
