"""Draw another log from the users of a log: a log of other users of the same kind.

Zakay & Feitelson, "Workload resampling for performance evaluation of parallel job schedulers", ICPE 2013 and
Concurrency & Computation 26(12), 2014: a log is divided into the jobs of each user, and these are joined again, so
that what a user does and the cycles of day and week remain (abstracts). Sessions and batches are those of their "On
identifying user session boundaries in parallel workload logs", JSSPP 2012 (LNCS 7698), sections 2 and 6.

The text that says how users are drawn there was not available. According to others who cite Feitelson, "Resampling with
feedback", JSSPP 2021, users whose jobs span more than half of the log are long-term, all others temporary, and as many
of each kind are drawn as the log has. Here, the rules are: (1) Each user occurs a Poisson number of times, with mean
one, because the number of users is chance, too, and a kind with one user would always have this user. (2) At each
occurrence the user's jobs move by a random whole number of weeks. Jobs beyond the end of the log move to its beginning,
so that its ends cut some users off, as in a real log. (3) Users of the first and last weeks are kept, so that the mean
load is the log's. (4) A new session does not follow an old one, but keeps its hour.
"""

import numpy as np
import pandas as pd

from .._util import checks
from .._util.arrays import Ints, in_order
from ..core.workload import Workload

WEEK = 7 * 86400

WEEKS = 5
"""A log has so many weeks at least: of fewer a user can hardly come in others."""

SESSION = 3600
"""Seconds after a user's submission without another that end a session (JSSPP 2012, section 3)."""


def resample_users(workload: Workload, seed: int = 0, feedback: bool = False) -> Workload:
    """Draw another log as long from the users of a log.

    Each user occurs once on average, and so may be absent, or occur twice or more. Each time all the user's jobs move
    by a random number of weeks, round the end of the log. So hours, days of the week and the properties of a user's
    jobs remain; events that users have in common, such as holidays, do not. The load differs from draw to draw, because
    few users bring much of it.

    Zakay & Feitelson, "Workload resampling for performance evaluation of parallel job schedulers", ICPE 2013; the
    module says which rules are theirs.

    Parameters
    ----------
    workload : Workload
        A log of five weeks or more. It is cut, or extended, to whole weeks. Jobs of unknown users count as one user's.
    seed : int
    feedback : bool
        Whether jobs follow others, for `simulate(..., feedback=True)`: by the log's fields 17 and 18, if it has them;
        else a batch of jobs follows the batch before it in the session, with the log's time from its end to the next
        submission.

    Returns
    -------
    Workload
        One draw: its name and its history say so. Jobs and users are numbered again; recorded waits become unknown.

    Raises
    ------
    ValueError
        For a log of less than five weeks or two users, a seed below 0, or feedback of a workload without a log.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.load("sample")
    >>> draws = [resample_users(w, seed) for seed in range(3)]
    >>> [len(draw) for draw in draws], [round(draw.load, 2) for draw in (w, *draws)]
    ([6996, 6093, 7109], [0.68, 0.65, 0.8, 0.72])
    >>> simlib.simulate(resample_users(w, feedback=True), simlib.EASY(), feedback=True).feedback
    True
    """
    return resampled(workload, seed, feedback)[0]


def resampled(workload: Workload, seed: int, feedback: bool = False) -> tuple[Workload, Ints]:
    """Draw another log as `resample_users` does; return with it the place of each job among those of the log."""
    place, columns = _drawn(workload, seed, feedback)
    jobs = workload.jobs.iloc[place].set_axis(pd.RangeIndex(1, len(place) + 1, name="job"))
    jobs = jobs.assign(submit=columns["submit"], user=columns["user"])
    log = workload.log
    if log is not None:
        log = log.loc[workload.jobs.index].iloc[place].set_axis(jobs.index).assign(wait=-1, job=jobs.index, **columns)
    other = Workload(
        jobs,
        workload.procs,
        f"{workload.name}, other users",
        gpus=workload.gpus,
        start=workload.start,
        header=workload.header,
        log=log,
        source=workload.source | {"variant": "other users", "sha256": None, "verified": None},
        synthetic=workload.synthetic,
    )
    other.history = (*workload.history, f"users drawn anew, seed {seed}")
    return other, place


def _drawn(workload: Workload, seed: int, feedback: bool = False) -> tuple[Ints, dict[str, Ints]]:
    """Draw users: the place among the log's jobs of each job of the draw, and its fields that are new."""
    checks.check("resample_users", "workload", workload, checks.instance(Workload, "a Workload"))
    where = f"{workload.name}: resample_users"
    checks.check(where, "feedback", feedback, checks.FLAG)
    checks.whole(where, "seed", seed, 0)
    jobs = workload.jobs
    since = jobs.submit.to_numpy() - jobs.submit.min()
    weeks = round((since[-1] + 1) / WEEK) if len(jobs) else 0
    if weeks < WEEKS:
        raise ValueError(f"{where}: found a log of {weeks} weeks, expected {WEEKS} at least, in which users can come")
    within = np.flatnonzero(since < weeks * WEEK)
    user, names = pd.factorize(jobs.user.to_numpy()[within])
    if len(names) < 2:
        raise ValueError(f"{where}: found {len(names)} user, expected at least 2, of which some can be drawn")
    by_user = within[in_order(user)]
    count = np.bincount(user)
    begin = np.cumsum(count) - count

    rng = np.random.default_rng(seed)
    times = rng.poisson(1, len(names))
    times[rng.integers(len(names))] += not times.any()  # of few users all might be absent
    chosen = np.repeat(np.arange(len(names)), times)
    later = WEEK * rng.integers(weeks, size=len(chosen))
    number = np.repeat(np.arange(len(chosen)), count[chosen])
    first = np.cumsum(count[chosen]) - count[chosen]  # of the draw's jobs by user
    place = by_user[begin[chosen][number] + np.arange(len(number)) - first[number]]
    submit = jobs.submit.min() + (since[place] + later[number]) % (weeks * WEEK)

    order = np.lexsort([place, submit])
    preceding = think = np.full(len(place), -1)
    if feedback:
        followed, after = _followed(workload)
        of_user = np.full(len(jobs), -1)
        of_user[by_user] = np.arange(len(by_user)) - begin[user[in_order(user)]]
        before, before_user = followed[place], np.full(len(jobs), -1)
        before_user[within] = user
        same = (before >= 0) & (before_user[before] == chosen[number])
        earlier = np.where(same, first[number] + of_user[before], 0)
        same &= submit[earlier] <= submit  # not where the end of the log has come between
        new = np.empty(len(place), np.int64)
        new[order] = np.arange(1, len(place) + 1)
        preceding, think = np.where(same, new[earlier], -1), np.where(same, after[place], -1)
    columns = {"submit": submit, "user": number + 1, "preceding": preceding, "think": think}
    return place[order], {name: column[order] for name, column in columns.items()}


def _followed(workload: Workload) -> tuple[Ints, Ints]:
    """Find which job each job follows, -1 for none, and the seconds between, by the log or by sessions and batches.

    A submission within an hour of the user's last one continues the session. It begins a new batch if all jobs of the
    session have ended. The jobs of a batch follow the job before it that ended last (JSSPP 2012, section 2.2).
    """
    if workload.log is not None and (workload.log.preceding.loc[workload.jobs.index] > 0).any():
        return workload.followed()
    end, submit, user = (values.to_numpy() for values in (workload.ends, workload.jobs.submit, workload.jobs.user))
    follows, think = np.full(len(user), -1), np.zeros(len(user), np.int64)
    last = latest = before = -1  # the user's last job; the one of the session that ends last; the one before the batch
    for job in np.lexsort([submit, user]):
        if last < 0 or user[job] != user[last] or submit[job] - submit[last] > SESSION:
            latest = before = -1
        elif submit[job] > end[latest]:
            before = latest
        if before >= 0:
            follows[job], think[job] = before, submit[job] - end[before]
        if latest < 0 or end[job] > end[latest]:
            latest = job
        last = job
    return follows, think
