"""Doubt what a recorded log says of itself where it cannot be right; read with the log."""

import numpy as np

from .._util.arrays import Floats, Ints
from .._util.compiled import compiled
from ..core.workload import TOO_LARGE, Workload

FEW = 1 / 20
"""A log is doubted where a larger share of its jobs lacks something."""

EXCESS = ((300, 1.20), (3600, 1.05))
"""A log is doubted where the mean use of so many seconds is so many times the machine. Logs that are right show up to
1.03 for an hour, where jobs end a little late, and more for a minute, where one takes another's place."""


class LogWarning(UserWarning):
    """A log says of itself what makes no sense, or lacks what simulations need."""


def doubts(workload: Workload) -> list[str]:
    """List what a recorded log says of itself that is not to be trusted.

    More than one job in twenty is larger than the machine, or has no requested time; or more processors were in use
    than the machine has (`EXCESS`), by the recorded submit, wait and run times. What is made up is not doubted.
    """
    if workload.synthetic:
        return []
    name, jobs, machine = workload.name, len(workload), f"its {workload.procs:,} processors"
    sentences = []
    large, lines = int((workload.dropped == TOO_LARGE).sum()), jobs + len(workload.dropped)
    if large > FEW * lines:
        sentences.append(
            f"{name}: {large:,} of {lines:,} jobs are dropped, for they are larger than the machine; "
            f"are {machine} right? Otherwise pass procs="
        )
    peak, seconds = _peak_use(workload)
    if seconds:
        sentences.append(
            f"{name}: by its own times the log uses up to {peak:.2f} times {machine} (mean of {seconds // 60} min): "
            "either they are too few (then pass procs=), or jobs shared processors, or recorded times are wrong"
        )
    without = workload.unestimated if len(workload._unrequested) > FEW * jobs else 0  # it takes time to count few
    if without > FEW * jobs:
        sentences.append(
            f"{name}: {without:,} of {jobs:,} jobs have no requested time, and their run time serves as a "
            "perfect estimate; to leave them out: select('requested_time > 0'); to model them: with_estimates(...)"
        )
    return sentences


def _peak_use(workload: Workload) -> tuple[float, int]:
    """Find the largest mean use as a share of the machine, and over how many seconds.

    By the first limit of `EXCESS` that it exceeds; (0, 0) where it exceeds none.
    """
    jobs = workload._jobs
    if workload.log is None:
        return 0, 0
    wait = workload.log.wait.loc[jobs.index].round().to_numpy(np.int64)
    known = slice(None) if (wait >= 0).all() else wait >= 0  # all is quicker
    submit, run, procs = (jobs[column].to_numpy()[known] for column in ("submit", "run", "procs"))
    if not len(submit):
        return 0, 0
    start = submit + wait[known]
    width = EXCESS[0][0]
    begin = start.min()
    span = int((start + run).max() - begin)
    width *= 1 + span // (width * 2**20)  # ten years; of absurd times the means are longer
    use = _mean_use(start - begin, start + run - begin, procs.astype(float), width, span // width + 2) / workload.procs
    for seconds, most in EXCESS:
        periods = max(seconds // width, 1)
        means = np.append(use, np.zeros(-len(use) % periods)).reshape(-1, periods).mean(axis=1)
        if means.max() > most:
            return means.max(), periods * width
    return 0, 0


@compiled
def _mean_use(start: Ints, end: Ints, procs: Floats, width: int, periods: int) -> Floats:
    """The mean number of processors in use in each period of `width` seconds from 0 on."""
    use, change, share = np.zeros(periods), np.zeros(periods), 1 / width
    for job in range(start.size):
        for second, size in ((start[job], procs[job]), (end[job], -procs[job])):
            period = int(second * share)  # whole numbers are slow to divide, and off by one does no harm here
            change[period] += size
            use[period] += size * (period + 1 - second * share)
    busy = 0.0
    for period in range(periods):
        use[period] += busy
        busy += change[period]
    return use
