"""The users of a twin: who submits in which month, and which requests a user repeats."""

import numpy as np
import pandas as pd

from ...arrays import Ints
from .chance import Table, read


def add_users(table: Table, rng: np.random.Generator) -> pd.DataFrame:
    """Deal the jobs to users and months; each user and each month has as many as in the log.

    The busiest user first, each takes a stretch of months that still has room for all his jobs.

    Returns
    -------
    DataFrame
        A row a job, by user and month: `user` and `month`, both numbered from 0; `spell`, a number of that user and
        month; `busy`, the class of the user in that month by the number of his jobs (see `sessions.busy`).

    Examples
    --------
    >>> table = {"months": {"jobs": [3, 2]}, "users": {"jobs": [4, 1], "months": [2, 1]}, "sessions": {"busy": [1]}}
    >>> jobs = add_users(table, np.random.default_rng(0))
    >>> jobs.groupby("month").size().tolist(), jobs.groupby("user").size().tolist()
    ([3, 2], [4, 1])
    """
    room = np.array(table["months"]["jobs"])
    cells = []
    for user, (jobs, months) in enumerate(zip(table["users"]["jobs"], table["users"]["months"], strict=True)):
        months = min(months, len(room))
        space = np.convolve(room, np.ones(months, int), "valid")
        begin = rng.choice(np.flatnonzero(space >= min(jobs, space.max())))
        stretch = slice(begin, begin + months)
        taken = np.zeros_like(room)
        taken[stretch] = rng.multivariate_hypergeometric(room[stretch], min(jobs, space[begin]))
        taken += rng.multivariate_hypergeometric(room - taken, jobs - taken.sum())  # where no stretch had room
        room -= taken
        cells += [(user, month, taken[month]) for month in np.flatnonzero(taken)]
    user, month, count = np.array(cells).T
    spells = pd.DataFrame({"user": user, "month": month, "spell": np.arange(len(count))})
    spells["busy"] = np.searchsorted(table["sessions"]["busy"], count)
    return spells.loc[np.repeat(spells.index, count)].reset_index(drop=True)


def add_sessions(table: Table, jobs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Add the columns `session` and `request`, both numbers.

    In a session a user repeats one request; a later session may return to it.

    Examples
    --------
    Every session has two jobs, and none returns to an earlier request:

    >>> table = {"sessions": {"length": [2] * 18, "shorten": 1.0, "returns": 0.0, "lag": [2] * 18}}
    >>> add_sessions(table, pd.DataFrame({"user": [0, 0, 0, 1]}), np.random.default_rng(0)).session.tolist()
    [0, 0, 1, 2]
    """
    table, user = table["sessions"], jobs.user.to_numpy()
    more = np.rint(read(table["length"], rng.random(len(user)))) - 1
    ends = np.cumsum(1 + np.floor(table["shorten"] * more + rng.random(len(user))).astype(int))
    first = np.diff(user, prepend=-1) != 0
    first[ends[ends < len(user)]] = True
    session = np.cumsum(first) - 1
    return jobs.assign(session=session, request=np.array(requests(table, user[first], rng))[session])


def requests(table: Table, user: Ints, rng: np.random.Generator) -> list[int]:
    """Draw the request of each session: a new one, or an earlier one of the user, but not that of the session before.

    Parameters
    ----------
    table : dict
        The part `sessions` of a twin's table.
    user : int array
        The user of each session, sorted.

    Returns
    -------
    list of int
        By session the number of its request, which is the number of the first session that has it.

    Examples
    --------
    >>> requests({"returns": 0.0, "lag": [2] * 18}, np.array([0, 0, 1]), np.random.default_rng(0))
    [0, 1, 2]
    """
    returns = rng.random(len(user)) < table["returns"]
    lag = np.rint(read(table["lag"], rng.random(len(user)))).astype(int)
    earlier = np.arange(len(user)) - np.maximum(lag, 2)
    begin = np.searchsorted(user, user)  # of the user's sessions
    request: list[int] = []
    for session, (again, before, least) in enumerate(zip(returns, earlier, begin, strict=True)):
        if before < least < session:  # earlier than the user's first session: count on from the last one
            before = least + (before - least) % (session - least)
        while again and before >= least and request[before] == request[-1]:
            before -= 1
        request.append(request[before] if again and before >= least else session)
    return request
