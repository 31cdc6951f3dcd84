"""Show how backfilling works on small workloads, and count how often promised start times are kept on any workload.

MF draw their figures 1 to 3 without numbers, and so do Tang et al. with their figure 12. The jobs here are chosen so
that the policies show exactly the effects that captions and text describe.
"""

from collections.abc import Mapping

import pandas as pd

from .._util import checks
from ..core.schedule import Schedule, simulate
from ..core.workload import Workload
from ..policies.adjusting import Adjustment
from ..policies.conservative import Conservative
from ..policies.easy import EASY


def figure1() -> Workload:
    """Make the jobs of figure 1: a job is backfilled (MF 2.1).

    Three jobs run. The first queued job must wait for two of them; the second could start when one has ended, but that
    would delay the first; the third fits at once and is backfilled.

    Examples
    --------
    >>> simulate(figure1(), Conservative()).jobs.start[["first", "second", "third"]].to_list()
    [60, 100, 6]
    """
    return Workload.of(
        "Figure 1",
        10,
        A=(0, 30, 30, 4),
        B=(0, 60, 60, 3),
        C=(0, 110, 110, 2),
        first=(2, 40, 40, 8),
        second=(4, 50, 50, 3),
        third=(6, 25, 25, 1),
    )


def figure2() -> Workload:
    """Make the jobs of figure 2: why guarantees must be kept when a job ends early (MF 2.1).

    The second queued job is promised to start at T1 = 40, before the first. Then the bottom job ends early: if all
    reservations are made again, the first job takes the place, and the second starts at T3 = 90 only.

    Examples
    --------
    >>> simulate(figure2(), Conservative()).jobs.start[["first", "second"]].to_list()
    [90, 20]
    >>> simulate(figure2(), Conservative(compress="rebackfill")).jobs.start[["first", "second"]].to_list()
    [40, 90]
    """
    return Workload.of(
        "Figure 2",
        4,
        bottom=(0, 20, 100, 2),
        top=(0, 40, 40, 2),
        first=(1, 50, 50, 4),
        second=(2, 50, 50, 2),
    )


def figure3(length: int = 30) -> Workload:
    """Make the jobs of figure 3: under EASY a backfilled job delays the second queued job (MF 2.2).

    Parameters
    ----------
    length : int
        Run time of the backfilled job in seconds; it delays the second queued job, not the first.

    Examples
    --------
    >>> [simulate(figure3(length), EASY()).jobs.start["second"] for length in (5, 30)]
    [np.int64(20), np.int64(33)]
    """
    length = checks.whole("figure3", "length", length, 0, checks.LATEST)
    return Workload.of(
        "Figure 3",
        4,
        A=(0, 10, 10, 2),
        first=(1, 10, 10, 3),
        second=(2, 10, 10, 4),
        backfill=(3, length, length, 1),
    )


def figure12(job4: int = 315) -> Workload:
    """Make the jobs of Tang's figure 12; job 4 runs for so many minutes, which no scheduler can know (section 5.1).

    Job 1 runs, and job 2, the head of the queue, has to wait for it; jobs 3 to 5 are candidates for the nodes that are
    free until then. What the users ask for lets in job 5 only. The paper draws the figure without numbers.
    """
    jobs = {1: (0, 300, 360, 5), 2: (60, 60, 120, 8), 3: (60, 180, 480, 1), 4: (60, job4, 360, 1), 5: (60, 90, 270, 1)}
    return _in_minutes("Figure 12", jobs)


def two_running() -> Workload:
    """Make jobs of which 1 and 6 run, and job 2 can start when either ends.

    By the users' estimates that is job 6, and leaves no node to spare; job 1 would leave one, on which job 3 could run
    past job 2's start.
    """
    jobs = {1: (0, 300, 360, 4), 6: (0, 180, 240, 3), 2: (60, 60, 120, 4), 3: (60, 180, 480, 1)}
    return _in_minutes("Two running jobs", jobs)


def _in_minutes(name: str, rows: dict[int, tuple[int, int, int, int]]) -> Workload:
    """Make jobs, each of another user, given by number as (submit, run, estimate, nodes), times in minutes."""
    jobs = pd.DataFrame.from_dict(rows, orient="index", columns=["submit", "run", "estimate", "procs"])
    jobs[["submit", "run", "estimate"]] *= 60
    return Workload(jobs.assign(user=jobs.index, group=1), 8, name)


def past(jobs: pd.DataFrame, shares: Mapping[int, float]) -> pd.DataFrame:
    """Make ten jobs of each user that ended the day before, and took a share of their requests: 1, or by job."""
    r = pd.Series(1.0, index=jobs.index)
    r.update(pd.Series(shares, dtype=float))
    one = jobs[["user", "group", "estimate"]].assign(run=jobs.estimate * r, end=-86400)
    return pd.concat([one] * 10, ignore_index=True)


def scheduled(
    workload: Workload, shares: Mapping[int, float], selective: bool = False, order: str = "fcfs"
) -> Schedule:
    """Simulate EASY with estimates adjusted by `past` shares, selectively (Tang 5.2) or not; or the users'."""
    adjust = Adjustment(running=not selective, past=past(workload.jobs, shares)) if shares else None
    return simulate(workload, EASY(order=order, adjust=adjust))


def promises(workload: Workload) -> pd.DataFrame:
    """Count how often the start times that jobs were promised are kept.

    Parameters
    ----------
    workload : Workload

    Returns
    -------
    DataFrame
        One row for each scheduler and rule: `promised`, the number of jobs with a promised start time (under
        conservative every job's guarantee; under EASY the shadow time of jobs that waited at the head); `late`, the
        number that started later; `late_share`, their share of the promised; `mean_late_s` and `worst_s`, the mean and
        the largest delay in seconds.

    Examples
    --------
    >>> promises(figure2()).late["conservative"].to_dict()
    {'arrival': 0, 'start': 0, 'none': 0, 'rebackfill': 1}
    """
    rows = {}
    for rule in ("arrival", "start", "none", "rebackfill"):
        table = simulate(workload, Conservative(compress=rule)).jobs
        rows["conservative", rule] = table.start - table.guarantee
    for rule, reuse_extra in (("textbook", False), ("reuse_extra", True)):
        schedule = simulate(workload, EASY(reuse_extra=reuse_extra))
        shadow = schedule.shadow
        assert shadow is not None  # of EASY
        rows["EASY", rule] = (schedule.jobs.start - shadow)[shadow >= 0]
    measures = []
    for late in rows.values():
        hurt = late[late > 0]
        measures.append(
            {
                "promised": len(late),
                "late": len(hurt),
                "late_share": len(hurt) / len(late) if len(late) else float("nan"),
                "mean_late_s": hurt.mean() if len(hurt) else 0.0,
                "worst_s": late.max() if len(hurt) else 0.0,
            }
        )
    return pd.DataFrame(measures, pd.MultiIndex.from_tuples(rows, names=["policy", "rule"]))
