"""Table 3 and Figure 12: what over- and underestimates do to backfilling, on a schedule small enough to see.

The paper draws the figure without numbers. The jobs here are made so that the real engine shows what its text describes
(section 5.1): it adjusts their estimates by what their users' earlier jobs took.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from ... import EASY, Workload, simulate
from ...engine.easy import shadow_time
from ...walltime import Adjustment, levels
from .. import NOT, PARTLY, REPRODUCED, claim

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
    "jobs 1, 3 and 4": (315, {1: 0.8, 3: 0.5, 4: 0.8}),
}
"""By case: for how many minutes job 4 runs; which share of their requests the earlier jobs of some users took."""

TABLE_3 = {
    ("waiting", "OE"): ("job 3 overestimated", "backfill chance increased, no delay"),
    ("waiting", "UE"): ("job 4 underestimated", "chance increased, may delay"),
    ("waiting", "BE"): ("job 4 badly underestimated", "chance increased, may delay"),
    ("running", "OE"): ("job 1 overestimated", "shorter backfill window"),
    ("running", "UE"): ("job 1 underestimated", "shorter window and delay"),
    ("running", "BE"): ("job 1 badly underestimated", "shorter window and delay"),
}
"""By cell, the case that decides it and what is printed; in print, UE and BE are one column."""


def figure12(job4=315):
    """Five jobs on eight nodes. Job 1 runs, and job 2, the head of the queue, has to wait for it; jobs 3 to 5 are
    candidates for the nodes that are free until then. What the users ask for lets in job 5 only.

    Parameters
    ----------
    job4 : int
        For how many of the 360 minutes that it asks for job 4 runs, which no scheduler can know.
    """
    return _workload(
        "Figure 12",
        {
            1: (0, 300, 360, 5),
            2: (60, 60, 120, 8),
            3: (60, 180, 480, 1),
            4: (60, job4, 360, 1),
            5: (60, 90, 270, 1),
        },
    )


def two_running():
    """Jobs 1 and 6 run, and job 2 can start when either ends. By the users' estimates that is job 6, and leaves no
    node to spare; job 1 would leave one, on which job 3 could run past job 2's start."""
    return _workload(
        "Two running jobs",
        {1: (0, 300, 360, 4), 6: (0, 180, 240, 3), 2: (60, 60, 120, 4), 3: (60, 180, 480, 1)},
    )


def _workload(name, rows):
    """Jobs, each of a user of its own, given by number as (submit, run, estimate, nodes), times in minutes."""
    jobs = pd.DataFrame.from_dict(rows, orient="index", columns=["submit", "run", "estimate", "procs"])
    jobs[["submit", "run", "estimate"]] *= MINUTE
    return Workload(jobs.assign(user=jobs.index, group=1), 8, name)


def past(jobs, shares):
    """Ten jobs of each user that ended the day before, alike but for how long they ran.

    Parameters
    ----------
    jobs : DataFrame
        As `Workload.jobs`.
    shares : dict
        By job, the share of their requests that its user's earlier jobs took, which becomes A; 1 for all others.
    """
    r = pd.Series(1.0, index=jobs.index)
    r.update(pd.Series(shares, dtype=float))
    one = jobs[["user", "group", "estimate"]].assign(run=jobs.estimate * r, end=-DAY)
    return pd.concat([one] * 10, ignore_index=True)


def scheduled(workload, shares, selective=False, order="fcfs"):
    """The schedule under EASY with estimates adjusted by what `past` says; without shares, by the users' estimates.

    Regular adjustment is for waiting and running jobs, selective adjustment for waiting jobs only (section 5.2).
    """
    adjust = Adjustment(running=not selective, past=past(workload.jobs, shares)) if shares else None
    return simulate(workload, EASY(order=order, adjust=adjust))


def expected(schedule, now):
    """How long the scheduler at second `now` takes each job to run, in seconds: adjusted or as the user asked."""
    jobs, adjust = schedule.jobs, schedule.policy.adjust
    if adjust is None:
        return jobs.estimate
    return jobs.adjusted.where(np.where(jobs.start < now, adjust.running, adjust.backfill), jobs.estimate)


def moment(schedule, now):
    """What the scheduler goes by at second `now`, at which job 2 heads the queue.

    Returns
    -------
    DataFrame
        By job that has not ended: its `role` ("running", "reserved", "candidate"), `start` and expected `run` in
        seconds (from its reservation for job 2, from `now` for candidates), its `estimate`, `procs`, and whether it is
        `backfilled` now.
    """
    jobs = schedule.jobs.assign(run=expected(schedule, now))[schedule.jobs.end > now]
    jobs["role"] = np.select([jobs.start < now, jobs.index == HEAD], ["running", "reserved"], "candidate")
    jobs["backfilled"] &= jobs.start == now
    running = jobs[jobs.role == "running"]
    end = (running.start + running.run).to_numpy()
    if schedule.policy.adjust:
        end = np.where(end <= now, now + schedule.policy.adjust.overdue, end)
    latest_first, size = np.argsort(-end, kind="stable"), running.procs.to_numpy()
    free = schedule.workload.procs - size.sum()
    shadow, _ = shadow_time(jobs.procs[HEAD], free, now, latest_first, len(end), end, size)
    jobs["start"] = np.select([jobs.role == "running", jobs.role == "reserved"], [jobs.start, shadow], now)
    return jobs[["role", "start", "run", "estimate", "procs", "backfilled"]]


def effects(schedule):
    """What adjusted estimates do at the decision, and what comes of it.

    Returns
    -------
    dict
        `adjusted`, the jobs that are not taken by their users' estimates, and how they are estimated; `backfilled`, who
        is let in. In minutes: `window_min`, the window's length; of job 2 `promised_min`, `started_min`, `late_min`,
        the one after the other, and `later_min` than by the users' estimates; `mean_wait_min` of all jobs.
    """
    jobs, at = schedule.jobs, moment(schedule, DECISION)
    by_users = simulate(schedule.workload, replace(schedule.policy, adjust=None)).jobs
    level = pd.Series(levels(jobs.run, jobs.estimate, expected(schedule, DECISION)), index=jobs.index)
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
    """The effects of every case under both strategies, as a table by (strategy, case)."""
    rows = {
        (strategy, case): effects(scheduled(figure12(job4), shares, strategy == "selective", order))
        for strategy in ("regular", "selective")
        for case, (job4, shares) in CASES.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(index=["strategy", "case"])


def by_share(job, shares, order="fcfs"):
    """The effects of regular adjustment by the share of their requests that earlier jobs of one job's user took.

    Returns
    -------
    DataFrame
        By share, as `effects`, and the `level` of the adjusted estimate.
    """
    rows = {share: effects(scheduled(figure12(), {job: share}, order=order)) for share in shares}
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis(index="share")
    return table.assign(level=table.adjusted.str.split().str[-1].fillna("NA"))


def table3(found):
    """Table 3, decided from simulations.

    Waiting: the chance to be backfilled has increased if a job is let in that is not by the users' estimates. Running:
    the window is shorter if it is so in minutes. Delay: job 2 starts later than it was promised at the decision.

    Parameters
    ----------
    found : DataFrame
        Of `study`, under one strategy.

    Returns
    -------
    DataFrame
        By job and estimation: `case`, `printed`, `ours`, and whether it is `as_printed`.
    """
    base = found.loc["users' estimates"]
    rows = {}
    for (state, level), (case, printed) in TABLE_3.items():
        row = found.loc[case]
        effect, ours = (_let_in if state == "waiting" else _window)(row, base)
        ours += f", delay of {row.late_min:.0f} min" if row.late_min else ", no delay"
        as_printed = effect and (row.late_min > 0) == (level != "OE")
        rows[state, level] = {"case": case, "printed": printed, "ours": ours, "as_printed": as_printed}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(index=["job", "estimation"])


def _let_in(row, base):
    more = sorted(set(row.backfilled.split(", ")) - {"", *base.backfilled.split(", ")})
    return bool(more), f"job {', '.join(more)} let in as well" if more else "no further job let in"


def _window(row, base):
    return row.window_min < base.window_min, f"window {row.window_min:.0f} min instead of {base.window_min:.0f}"


def claims(found):
    """Decide claim TG-13 from `study`.

    Reproduced if all six cells are as printed under regular adjustment, and those of waiting jobs under selective
    adjustment too, which leaves running jobs alone; in part if only some of them are.
    """
    regular, selective = (table3(found.loc[strategy]) for strategy in ("regular", "selective"))
    selective = selective.loc[["waiting"]]
    holds = [*regular.as_printed, *selective.as_printed]
    verdict = REPRODUCED if all(holds) else PARTLY if any(holds) else NOT
    text = f"regular: {regular.as_printed.sum()} of {len(regular)} cells as printed ({_cells(regular)}); "
    text += f"selective: {selective.as_printed.sum()} of {len(selective)} ({_cells(selective)})"
    later = found.loc["regular"].loc[regular.case["running"], "later_min"].max()
    text += f"; where the running job is adjusted, job 2 starts {later:.0f} min later than by users' estimates at most"
    return [claim("TG-13", verdict, text)]


def _cells(table):
    return "; ".join(f"{state} {level}: {row.ours}" for (state, level), row in table.iterrows())
