"""Twins: for each log of the catalogue a synthetic one that resembles it, for use when the log is not available.

A twin has the log's machine, calendar, and number of jobs and load by month; its sizes, requested times and run times,
its daily and weekly cycle, and its users, who repeat their jobs. Everything comes from a small table,
`data/models/twins/<name>.toml`, that `tools.fit_twins` makes from the real log; the README beside it names the fields.

Each job gets a *score*, a normal random number to which its user, its request and its session contribute their shares.
The jobs are put in order of their scores, and the log's own distribution is dealt to them in that order: so the
distribution is the log's, and the shares make the jobs of one user alike. Raising the scores of a group of jobs, such
as a month's, gives it more work and others less, and the distribution stays the log's.

A job runs for a part R of its requested time. R is dealt by size and requested time out of the log's distribution,
which is nearly flat with peaks at 0 and 100 %. This is the model of Mu'alem & Feitelson (TPDS 2001, section 4.3),
T_e = T_r / u, turned round: there u is uniform and the estimate T_e follows from the run time T_r; here T_e is one of
the log's popular values, and T_r follows.
"""

import tomllib
from collections.abc import Callable, Sequence
from datetime import tzinfo
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtri

from .._util import checks
from .._util.arrays import Floats, Ints
from ..core.workload import Workload
from ..logs import archive
from ..logs.swf import FIELDS, jobs_of

Table = dict[str, Any]
"""The table of a twin as TOML gives it."""


def workload(name: str, seed: int = 0) -> Workload:
    """Make the twin of a log of the catalogue.

    Parameters
    ----------
    name : str
        A name in the catalogue, such as "KTH-SP2".
    seed : int
        The same seed gives the same jobs.

    Returns
    -------
    Workload
        Synthetic, with the catalogue's machine size and calendar, and the 18 SWF fields.

    Raises
    ------
    ArchiveError
        For a name that is not in the catalogue, or has no twin.
    ValueError
        For a seed below 0.

    Examples
    --------
    >>> workload("KTH-SP2")
    <Workload KTH-SP2: 28,489 jobs on 100 processors, 1996-09-23 to 1997-08-29, SYNTHETIC>
    """
    about, table = archive.entry(name), parameters(name)
    checks.whole(name, "seed", seed, 0)
    rng = np.random.default_rng(seed)
    log = _swf_fields(table, generate(table, about["timezone"], rng), rng)
    header = (
        " Version: 2.2",
        f" Computer: none; made to resemble {about['title']}",
        f" Note: SYNTHETIC. Made up by simlib.models.twin, seed {seed}; not the log of any machine.",
        f" MaxProcs: {about['procs']}",
        f" UnixStartTime: {table['start']}",
        f" TimeZoneString: {about['timezone']}",
    )
    start = pd.Timestamp(table["start"], unit="s", tz="UTC").tz_convert(about["timezone"])
    source = {"file": f"twin of {name}", "variant": "twin"}
    return Workload(
        jobs_of(log), about["procs"], name, start=start, header=header, log=log, source=source, synthetic=True
    )


def parameters(name: str) -> Table:
    """Read the table of a twin, `data/models/twins/<name>.toml`."""
    table = archive.twin_table(name)
    if not archive.has_twin(name):
        raise archive.ArchiveError(f"{name}: has no twin: expected a file {table}")
    return tomllib.loads(table.read_text(encoding="utf-8"))


def generate(table: Table, zone: str | tzinfo | None, rng: np.random.Generator) -> pd.DataFrame:
    """Make the jobs of a twin: users and months, repetitions, requests, run times, and submit times.

    Gives a DataFrame, one row per job, by user and in the order of each user's jobs.
    """
    jobs = _add_users(table, rng)
    jobs = _add_sessions(table, jobs, rng)
    jobs = _add_work(table, jobs, rng)
    jobs = _add_times(table, Clock(table, zone), jobs, rng)
    return _add_names(table, jobs, rng)


# Random numbers with given distributions: curves, scores that groups of jobs share, and places in an order.


_Curve = Sequence[float]

GRID = np.array([0, 1, 5, 10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 99, 99.9, 100]) / 100
"""The probabilities at which a curve of the tables gives a distribution's values."""

NONE = -1
"""SWF for what is not known."""


def read(curve: _Curve, probability: Sequence[float] | Floats) -> Floats:
    """Read a distribution's values at given probabilities from its curve, interpolated on a logarithmic scale."""
    return np.expm1(np.interp(probability, GRID, np.log1p(curve)))


def score(noise: Floats, *parts: tuple[Ints, float]) -> Floats:
    """Draw a normal random number for each job, to which each of the job's groups contributes a share."""
    own = 1 - sum(share for _, share in parts)
    total: Floats = np.sqrt(max(own, 0)) * noise[-1]
    for numbers, (group, share) in zip(noise[:-1], parts, strict=True):
        first, which = np.unique(group, return_index=True, return_inverse=True)[1:]
        total = total + np.sqrt(share) * numbers[first[which]]
    return total


def places(scores: Floats, group: Ints) -> Floats:
    """Spread the jobs of each group evenly over the probabilities from 0 to 1, in order of their scores."""
    order = np.argsort(scores, kind="stable")
    short = group.astype(np.min_scalar_type(group.max(initial=0)))  # numpy sorts short numbers digit by digit
    order = order[np.argsort(short[order], kind="stable")]
    size = np.bincount(group)
    before = np.cumsum(size) - size
    place = np.empty(len(scores))
    place[order] = (np.arange(len(scores)) - before[group[order]] + 0.5) / size[group[order]]
    return place


# The submit times of a twin, by its calendar.


_Numbers = Sequence[float] | Floats | Ints | pd.Series

_PARTS = 30
"""Into so many parts a month is divided, to compare how busy they are."""


class Clock:
    """A log's calendar, and how busy each hour of its week is."""

    def __init__(self, table: Table, zone: str | tzinfo | None) -> None:
        start = pd.Timestamp(table["start"], unit="s", tz="UTC").tz_convert(zone)
        into_hour = start.minute * 60 + start.second
        self._hours = np.arange(table["last"] // 3600 + 3) * 3600 - into_hour
        local = start + pd.to_timedelta(self._hours[:-1], unit="s")
        week = np.array(table["week"], float)
        rate = week[local.day_of_week, local.hour] / week.mean()
        self._busy = np.concatenate([[0.0], np.cumsum(rate * 3600)])
        new_month = np.flatnonzero(np.diff(local.month, prepend=local.month[0]))
        edges = [table["first"], *self._hours[new_month], table["last"] + 1]
        self.edges: Ints = np.array([edge for edge in edges if table["first"] <= edge <= table["last"] + 1])

    def busy(self, seconds: _Numbers) -> Floats:
        """Count time by submissions: fast by day, slow by night, with the same length on average."""
        return np.interp(seconds, self._hours, self._busy)

    def time(self, busy: _Numbers) -> Floats:
        """Convert time counted by submissions to a second of the log: the inverse of `busy`."""
        return np.interp(busy, self._busy, self._hours)


def _add_times(table: Table, clock: Clock, jobs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Add `submit` (seconds).

    A user's month begins at some time of the month; jobs beyond its end are moved to its start.
    """
    about, spell, month = table["sessions"], jobs.spell.to_numpy(), jobs.month.to_numpy()
    # the time from the user's job before to each job, in some unit for each spell, longer after a heavy job
    work = jobs.procs * jobs.run
    again = np.diff(jobs.session, prepend=-1) == 0
    curves = [curve for pair in zip(about["next"], about["again"], strict=True) for curve in pair]
    gap = _draw_after(np.roll(work, 1), jobs.busy * 2 + again, about["after_work"], curves, rng)
    gap[np.diff(spell, prepend=-1) != 0] = 0
    # the part of its month from the first to the last job of each spell, longer where there is much work
    spells = jobs.assign(work=work).groupby("spell").agg({"busy": "first", "work": "sum"})
    span = _draw_after(spells.work, spells.busy, about["span_work"], about["span"], rng)
    gap *= (span / np.maximum(np.bincount(spell, gap), 1e-9))[spell]
    since = np.cumsum(gap)
    since -= since[np.searchsorted(spell, spell)]
    place = (_begins(about["choices"], jobs, since, rng)[spell] + since) % 1
    begin, end = clock.busy(clock.edges[:-1])[month], clock.busy(clock.edges[1:])[month]
    return jobs.assign(submit=clock.time(begin + place * (end - begin)).astype(int))


def _draw_after(
    work: _Numbers, group: _Numbers, correlation: float, curves: Sequence[_Curve], rng: np.random.Generator
) -> Floats:
    """Draw a value for each job from the curve of its group, correlated with the work."""
    work, groups = np.array(work) + rng.random(len(work)), np.array(group, int)  # no two alike
    own = np.sqrt(1 - correlation**2) * rng.standard_normal(len(work))
    place = places(correlation * ndtri(places(work, groups)) + own, groups)
    drawn = np.empty(len(work))
    for number, curve in enumerate(curves):
        drawn[groups == number] = read(curve, place[groups == number])
    return drawn


def _begins(choices: int, jobs: pd.DataFrame, since: Floats, rng: np.random.Generator) -> Floats:
    """Choose the beginning of each spell in its month, from 0 to 1; the spells with the most work choose first.

    Users who find the machine busy come back later; so real load is more even than chance would make it. So each spell
    takes, among some random times, the one at which its work coincides with the least work of others.
    """
    spells = jobs.spell.iloc[-1] + 1
    part = np.minimum(since * _PARTS, _PARTS - 1).astype(int)
    work = np.bincount(jobs.spell * _PARTS + part, jobs.procs * jobs.run.astype(float), spells * _PARTS)
    work = work.reshape(spells, _PARTS)
    month = jobs.groupby("spell").month.first().to_numpy()
    shift = rng.integers(_PARTS, size=(spells, choices))
    busy = np.zeros((month.max() + 1, _PARTS))
    begin = np.empty(spells)
    for spell in np.argsort(-work.sum(axis=1), kind="stable"):
        shifted = work[spell][(np.arange(_PARTS) - shift[spell][:, None]) % _PARTS]
        best = np.argmin(shifted @ busy[month[spell]])
        busy[month[spell]] += shifted[best]
        begin[spell] = shift[spell, best]
    return (begin + rng.random(spells)) / _PARTS


# The users of a twin: who submits in which month, and which requests a user repeats.


def _add_users(table: Table, rng: np.random.Generator) -> pd.DataFrame:
    """Deal the jobs to users and months; each user and each month has as many as in the log.

    Each user, the busiest first, takes a range of months that still has room for all the user's jobs.

    Gives a DataFrame, one row per job, by user and month: `user` and `month`, both numbered from 0; `spell`, a number
    of that user and month; `busy`, the class of the user in that month by the number of his jobs (see
    `sessions.busy`).
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


def _add_sessions(table: Table, jobs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Add the columns `session` and `request`, both numbers.

    In a session a user repeats one request; a later session may return to it.
    """
    table, user = table["sessions"], jobs.user.to_numpy()
    more = np.rint(read(table["length"], rng.random(len(user)))) - 1
    ends = np.cumsum(1 + np.floor(table["shorten"] * more + rng.random(len(user))).astype(int))
    first = np.diff(user, prepend=-1) != 0
    first[ends[ends < len(user)]] = True
    session = np.cumsum(first) - 1
    return jobs.assign(session=session, request=np.array(requests(table, user[first], rng))[session])


def requests(table: Table, user: Ints, rng: np.random.Generator) -> list[int]:
    """Draw the request of each session: a new one, or one of the user's before the last."""
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


# The work of a twin: what its jobs ask for, and how long they run.


_ROUNDS, _STEP = 8, 0.4  # the work of months and users is approached in so many steps


class _Asked(NamedTuple):
    """Each job's request, and the place of its R = run time / requested time in the distribution of R."""

    procs: Ints
    requested: Ints
    session: Ints
    cell: Ints
    place: Floats


_RunTimes = Callable[[_Asked, Floats], tuple[Floats, Floats]]
"""A function of what jobs asked for and of probabilities: the run times in seconds; R in per mille, or the run time of
jobs that requested none."""


def _add_work(table: Table, jobs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Add `procs`, `requested` (seconds, or -1), `run` (seconds) and `used`.

    `used` is R in per mille, or the run time of jobs that requested none. `session` is numbered again.

    The scores of a month's jobs, and of the jobs of equally busy users, are raised or lowered until their work is
    nearly the log's. The run times make up for the remaining difference of a month.
    """
    months = np.array(table["months"]["work"], float) * 3600
    users = np.array(table["sessions"]["work"]) * months.sum()
    targets = [(jobs.month.to_numpy(), months), (jobs.busy.to_numpy(), users)]
    lifts = [np.zeros(len(target)) for _, target in targets]
    noise, likeness = rng.standard_normal((3, 4, len(jobs))), table["likeness"]
    user, request = jobs.user.to_numpy(), jobs.request.to_numpy()
    of_size, of_request = (
        score(numbers[:3], (user, likeness[what]), (request, 1 - likeness[what]))
        for what, numbers in zip(("size", "request"), noise[:2], strict=True)
    )
    run_times = _run_times_of(table)
    for _ in range(_ROUNDS):
        lift = sum(lift[group] for lift, (group, _) in zip(lifts, targets, strict=True))
        asked = _ask(table, user, lift + of_size, lift + of_request, noise[2], lift)
        work = asked.procs * run_times(asked, asked.place)[0]
        for lift, (group, target) in zip(lifts, targets, strict=True):
            lift += _STEP * np.log(np.maximum(target, 1) / np.maximum(np.bincount(group, work, len(target)), 1))

    month = jobs.month.to_numpy()

    def work_by_month(power: Floats) -> Floats:
        work = asked.procs * run_times(asked, asked.place ** power[month])[0]
        return np.bincount(month, work).astype(float)

    run, used = run_times(asked, asked.place ** _power(work_by_month, months)[month])
    columns = {"session": asked.session, "procs": asked.procs, "requested": asked.requested}
    return jobs.assign(**columns, run=np.rint(run).astype(int), used=used)


def _ask(table: Table, user: Ints, size_scores: Floats, request_scores: Floats, noise: Floats, lift: Floats) -> _Asked:
    """Assign sizes in order of one score, and requested times by class of size in order of another."""
    sizes = np.repeat(table["sizes"]["procs"], table["sizes"]["jobs"])
    procs = sizes[(places(size_scores, np.zeros_like(user)) * len(sizes)).astype(int)]
    size_class = np.searchsorted([part["upto"] for part in table["size_class"][:-1]], procs)
    times = [requested_times(part) for part in table["size_class"]]
    length = np.array([len(part) for part in times])
    begin = np.cumsum(length) - length
    place = (places(request_scores, size_class) * length[size_class]).astype(int)
    requested = np.concatenate(times)[begin[size_class] + place]

    new = (np.diff([user, procs, requested], prepend=-2) != 0).any(axis=0)
    session = np.cumsum(new) - 1
    pair = user * (requested.max() + 2) + requested + 1
    parts = zip((user, pair, session), table["likeness"]["used"], strict=True)
    cell = size_class * len(table["classes"]) + np.searchsorted(table["classes"][:-1], requested)
    return _Asked(procs, requested, session, cell, places(lift / 2 + score(noise, *parts), cell))


def requested_times(part: Table) -> Ints:
    """List the requested times of a size class, sorted: each popular value as often as in the log."""
    others = np.ceil(read(part["others"], (np.arange(part["rest"]) + 0.5) / max(part["rest"], 1)) / 60) * 60
    seconds, jobs = np.array(part["popular"], int).reshape(-1, 2).T
    return np.sort(np.concatenate([np.repeat(seconds, jobs), others.astype(int)]))


def _run_times_of(table: Table) -> _RunTimes:
    """Make the function that reads run times from the table's curves of R."""
    curves = [curve or [0] * len(GRID) for part in table["size_class"] for curve in part["used"]]
    steps = (np.arange(len(curves))[:, None] * 2 + GRID).ravel()  # all curves as one
    values = np.log1p(curves).ravel()

    def run_times(asked: _Asked, place: Floats) -> tuple[Floats, Floats]:
        used, requested = np.expm1(np.interp(asked.cell * 2 + place, steps, values)), asked.requested
        return np.minimum(np.where(requested == NONE, used, used * requested / 1000), table["longest"]), used

    return run_times


def _power(work: Callable[[Floats], Floats], target: Floats) -> Floats:
    """Find for each month the power of the probabilities that gives the month its work, by bisection.

    Raised to a power, probabilities stay between 0 and 1, so that no run time leaves the log's range.
    """
    low, high = np.full(len(target), 1 / 64), np.full(len(target), 64.0)
    for _ in range(25):
        middle = np.sqrt(low * high)
        too_much = work(middle) > target
        low, high = np.where(too_much, middle, low), np.where(too_much, high, middle)
    return np.sqrt(low * high)


# The further fields of a twin's log: users' groups, applications, queues, statuses and waits.


def _add_names(table: Table, jobs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Add `group`, `app`, `queue` and `status`, and number the users from 1."""
    user, request = jobs.user.to_numpy(), jobs.request.to_numpy()
    group: Ints | int = NONE
    app: Ints | int = NONE
    queue: Ints | int = NONE
    if users := table["users"]["groups"]:
        of_user = rng.permutation(np.repeat(np.arange(1, len(users) + 1), users))
        second = rng.random(jobs.session.iloc[-1] + 1) < table["users"]["second"]
        group = np.where(second[jobs.session], rng.permutation(of_user)[user], of_user[user])
    if table["apps"]:
        one_off = rng.random(len(jobs)) < table["apps"]["one_off"]
        app = pd.factorize(np.where(one_off, -1 - np.arange(len(jobs)), request))[0] + 1
    if queues := table["queues"]:
        of_user = table["likeness"]["queue"]
        scores = score(rng.standard_normal((3, len(jobs))), (user, of_user), (request, 1 - of_user))
        deck = np.repeat(queues["queue"], queues["jobs"])
        queue = deck[(places(scores, np.zeros(len(jobs), int)) * len(deck)).astype(int)]
    status = np.empty(len(jobs), int)
    for part in table["status"]:
        chosen = (jobs.requested != NONE).to_numpy() == part["requested"]
        used = jobs.used.to_numpy()[chosen]
        shares = np.cumsum(np.array(part["jobs"], float), axis=1)  # of each code, by class of R
        row = np.searchsorted(part["upto"], used)
        above = rng.random(len(used))[:, None] * shares[row, -1:] >= shares[row]
        status[chosen] = np.array(part["status"])[above.sum(axis=1)]
    return jobs.assign(user=user + 1, group=group, app=app, queue=queue, status=status)


def _swf_fields(table: Table, jobs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """List the 18 SWF fields of each line of the log, in order of submission.

    They include the lines of jobs that were removed before they ran: copies of some jobs, without a run time.
    """
    jobs = jobs.assign(wait=np.rint(read(table["waits"], rng.random(len(jobs)))).astype(int))
    removed = jobs.iloc[rng.choice(len(jobs), table["removed"])].assign(run=NONE, wait=NONE, status=5)
    jobs = pd.concat([jobs, removed]).sort_values("submit", kind="stable")
    number = pd.RangeIndex(1, len(jobs) + 1, name="job")
    lines = jobs.assign(job=number, requested_procs=jobs.procs, requested_time=jobs.requested)
    return lines.reindex(columns=FIELDS, fill_value=NONE).set_axis(number)
