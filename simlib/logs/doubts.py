"""Doubt what a recorded log says of itself where it cannot be right."""

import numpy as np

from ..core.jobs_table import TOO_LARGE
from ..core.workload import Workload

_FEW = 1 / 20
"""A log is doubted where a larger share of its jobs lacks something."""

_EXCESS = ((300, 1.20), (3600, 1.05))
"""A log is doubted where the mean use of so many seconds is so many times the machine. Logs that are right show up to
1.03 for an hour, where jobs end a little late, and more for a minute, where one takes another's place."""


class LogWarning(UserWarning):
    """A log contradicts itself, or lacks what simulations need."""


def doubts(workload: Workload) -> list[str]:
    """List the doubts about a recorded log: see `read_swf` for what they are."""
    if workload.synthetic:
        return []
    name, jobs, machine = workload.name, len(workload), f"its {workload.procs:,} processors"
    sentences = []
    large, lines = int((workload.dropped == TOO_LARGE).sum()), jobs + len(workload.dropped)
    if large > _FEW * lines:
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
    if workload._log is not None:
        log = workload._log.loc[workload._jobs.index, ["job", "submit"]]
        if twice := 0 if log.job.is_unique else int((log.duplicated(["job", "submit"]) & (log.job >= 0)).sum()):
            sentences.append(
                f"{name}: {twice:,} of {jobs:,} jobs have the number and the submit time of another: the same job may "
                "count twice; to leave them out: w.select(~w.log.loc[w.jobs.index].duplicated(['job', 'submit']))"
            )
        if unknown := int((log.submit == -1).sum()):
            sentences.append(
                f"{name}: {unknown:,} of {jobs:,} jobs have the submit time -1, which is unknown in SWF; to leave them "
                "out: select('submit >= 0')"
            )
    without = workload.unestimated if len(workload._unrequested) > _FEW * jobs else 0  # it takes time to count few
    if without > _FEW * jobs:
        sentences.append(
            f"{name}: {without:,} of {jobs:,} jobs have no requested time, and their run time serves as a "
            "perfect estimate; to leave them out: select('requested_time > 0'); to model them: with_estimates(...)"
        )
    return sentences


def _peak_use(workload: Workload) -> tuple[float, int]:
    """Find the largest mean use, as a share of the machine, and the seconds of its period.

    The first limit of `_EXCESS` that is exceeded decides; (0, 0) if none is.
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
    width = _EXCESS[0][0]
    begin = start.min()
    span = int((start + run).max() - begin)
    width *= 1 + span // (width * 2**20)  # ten years; of absurd times the means are longer
    place, size = (np.concatenate([start, start + run]) - begin) / width, np.concatenate([procs, -procs])
    period = place.astype(int)  # how much a job adds to the mean of the period in which it starts, and later ones
    use = np.bincount(period, size * (period + 1 - place), span // width + 2) / workload.procs
    use[1:] += np.cumsum(np.bincount(period, size, len(use)))[:-1] / workload.procs
    for seconds, most in _EXCESS:
        periods = max(seconds // width, 1)
        means = np.append(use, np.zeros(-len(use) % periods)).reshape(-1, periods).mean(axis=1)
        if means.max() > most:
            return means.max(), periods * width
    return 0, 0
