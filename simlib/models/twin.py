"""Twins: for each log of the catalogue a synthetic stand-in that resembles it, for when the log is not at hand.

A twin has the log's machine, calendar, and number of jobs and load by month; its sizes, requested times and run times,
its daily and weekly cycle, and its users, who repeat their jobs. Everything comes from a small table,
`data/models/twins/<name>.toml`, that `simlib.models.fit_twins` makes from the real log.

One idea carries it. Each job gets a *score*, a normal random number to which its user, its request and its session
contribute their shares. The jobs are put in order of their scores, and the log's own distribution is dealt to them in
that order: so the distribution is the log's, and the shares make the jobs of one user alike. Raising the scores of a
group of jobs, such as a month's, gives it more work and others less, and the distribution stays the log's.

A job runs for a part R of its requested time, dealt by size and requested time: section 4.3 of Mu'alem & Feitelson
(TPDS 2001), T_e = T_r / u, read from the other side, with the log's distribution of u = R, nearly flat with peaks at 0
and 100 %, in place of a uniform one, and T_e out of the log's popular values.

A table has these fields; a *curve* is a list of the values that a distribution has at the probabilities `GRID`.

    start               UnixStartTime
    first, last         seconds of the first and the last submission
    longest             no run is longer, seconds
    removed             how many further lines are of jobs that were removed before they ran
    waits               curve of the recorded wait times, seconds
    week                submissions by hour of the week in local time, a row a day from Monday
    [months]            name; jobs that ran; work: processor-hours of the jobs submitted in it
    [users]             of each user, the busiest first: jobs, and in how many months (effective number: 1 / sum of
                        squared shares); groups: how many users each has; second: share of the jobs that are under
                        another group than their user's first
    [sessions]          in a session a user repeats a request (size and requested time)
        length          curve of the number of jobs
        shorten         factor on these numbers less one; neighbouring sessions that are alike by chance make up for it
        returns, lag    share of sessions that return to an earlier request of the user; curve of how many sessions ago
        busy            classes of users in a month, by the number of their jobs in it: upper ends, but for the last
        work            share of the work of each of these classes
        span            by class, curve of the part of the month from the first to the last job of a user; this and
                        the next as if the clock went as fast as jobs are submitted
        again, next     by class, curves of the time from one job of a user to the next, within a session and between
                        sessions, in units of the mean time in that month
        span_work       correlation of the span with the work of the user in that month
        after_work      correlation of the time from one job to the next with the work of the former
        choices         a user's month begins at the least busy of so many random times
    [likeness]          shares that the scores of jobs have in common: size, request, queue: within a user; used (R):
                        within a user, his requested time and a session
    [sizes], [queues]   how many jobs each size, each queue has
    [apps]              one_off: share of the jobs with an application of their own
    classes             upper ends of the classes of requested times, seconds; -1 for jobs that requested none
    [[size_class]]      upto: upper end; popular: [seconds, jobs] of popular requested times; rest, others: how many
                        jobs requested other times, and their curve; used: for each of `classes`, empty where there is
                        no job, the curve of R in per mille, for jobs that requested none of the run time in seconds
    [[status]]          of jobs that requested a time, or none: by classes of R in per mille, or of run time in
                        seconds, `upto` being their upper ends but for the last, how many jobs have each status
"""

import tomllib
from functools import cache

import numpy as np
import pandas as pd
from scipy.special import ndtri

from .. import archive, paths
from ..swf import FIELDS, jobs_of
from ..workload import Workload

GRID = np.array([0, 1, 5, 10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 99, 99.9, 100]) / 100
"""The probabilities at which a curve of the tables gives a distribution's values."""

NONE = -1
"""SWF for what is not known."""

ROUNDS, STEP = 8, 0.4  # of approaching the work of months and users; the run times see to what is left
PARTS = 30  # of a month, for comparing how busy they are


def workload(name, seed=0):
    """The twin of a log of the catalogue.

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
    """
    about, table = archive.entry(name), parameters(name)
    rng = np.random.default_rng(seed)
    log = _log(table, generate(table, about["timezone"], rng), rng)
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


@cache
def parameters(name):
    """The table of a twin, `data/models/twins/<name>.toml`, as a dict.

    Raises
    ------
    ArchiveError
        Where there is none.
    """
    if not exists(name):
        raise archive.ArchiveError(f"{name}: has no twin: expected a file {_path(name)}")
    return tomllib.loads(_path(name).read_text(encoding="utf-8"))


def exists(name):
    """Whether a log has a twin."""
    return _path(name).exists()


def _path(name):
    return paths.DATA / "models" / "twins" / f"{name}.toml"


def generate(table, zone, rng):
    """The jobs of a twin: who submits in which month, what is repeated, what is asked for and used, and when.

    Parameters
    ----------
    table : dict
        Of the twin.
    zone : str
        The time zone of its calendar.
    rng : numpy.random.Generator

    Returns
    -------
    DataFrame
        A row a job, by user and in the order of his jobs.
    """
    jobs = _users(table, rng)
    jobs = _sessions(table, jobs, rng)
    jobs = _work(table, jobs, rng)
    jobs = _times(table, Clock(table, zone), jobs, rng)
    return _names(table, jobs, rng)


# Chance


def read(curve, probability):
    """The values of a distribution given by its curve, interpolated on a logarithmic scale."""
    return np.expm1(np.interp(probability, GRID, np.log1p(curve)))


def score(noise, *parts):
    """A normal random number a job, to which each of its groups contributes a share.

    Parameters
    ----------
    noise : float array, parts + 1 by jobs
        Normal random numbers.
    parts : (int array, float)
        The group that each job is in, and the share of the variance that a group has in common; what is left is each
        job's own.
    """
    own = 1 - sum(share for _, share in parts)
    total = np.sqrt(max(own, 0)) * noise[-1]
    for numbers, (group, share) in zip(noise[:-1], parts, strict=True):
        first, which = np.unique(group, return_index=True, return_inverse=True)[1:]
        total = total + np.sqrt(share) * numbers[first[which]]
    return total


def places(scores, group):
    """The jobs of each group as evenly spread probabilities, in order of their scores."""
    order = np.argsort(scores, kind="stable")
    order = order[np.argsort(_short(group)[order], kind="stable")]
    size = np.bincount(group)
    before = np.cumsum(size) - size
    place = np.empty(len(scores))
    place[order] = (np.arange(len(scores)) - before[group[order]] + 0.5) / size[group[order]]
    return place


def _short(numbers):
    """The same whole numbers from 0 on as the shortest type that holds them: numpy sorts those by their digits."""
    return numbers.astype(np.min_scalar_type(numbers.max(initial=0)))


# The calendar


class Clock:
    """A log's calendar, and how busy each hour of its week is.

    `edges` are the seconds at which its months begin, and the last one ends. `busy(seconds)` counts time by
    submissions: fast by day, slow by night, seconds on average; `time(busy)` is its inverse.
    """

    def __init__(self, table, zone):
        start = pd.Timestamp(table["start"], unit="s", tz="UTC").tz_convert(zone)
        into_hour = start.minute * 60 + start.second
        self._hours = np.arange(table["last"] // 3600 + 3) * 3600 - into_hour
        local = start + pd.to_timedelta(self._hours[:-1], unit="s")
        week = np.array(table["week"], float)
        rate = week[local.day_of_week, local.hour] / week.mean()
        self._busy = np.concatenate([[0.0], np.cumsum(rate * 3600)])
        new_month = np.flatnonzero(np.diff(local.month, prepend=local.month[0]))
        edges = [table["first"], *self._hours[new_month], table["last"] + 1]
        self.edges = np.array([edge for edge in edges if table["first"] <= edge <= table["last"] + 1])

    def busy(self, seconds):
        return np.interp(seconds, self._hours, self._busy)

    def time(self, busy):
        return np.interp(busy, self._busy, self._hours)


# Who submits in which month


def _users(table, rng):
    """A row a job: user and month; both have as many jobs as in the log.

    The busiest first, each user takes a stretch of months that still has room for all his jobs.
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
    jobs = pd.DataFrame({"user": user, "month": month, "spell": np.arange(len(count))})
    jobs["busy"] = np.searchsorted(table["sessions"]["busy"], count)
    return jobs.loc[np.repeat(jobs.index, count)].reset_index(drop=True)


# What is repeated


def _sessions(table, jobs, rng):
    """Adds session and request: in a session a user repeats one request, and may return to it in a later one."""
    table, user = table["sessions"], jobs.user.to_numpy()
    more = np.rint(read(table["length"], rng.random(len(user)))) - 1
    ends = np.cumsum(1 + np.floor(table["shorten"] * more + rng.random(len(user))).astype(int))
    first = np.diff(user, prepend=-1) != 0
    first[ends[ends < len(user)]] = True
    session = np.cumsum(first) - 1
    return jobs.assign(session=session, request=np.array(_returns(table, user[first], rng))[session])


def _returns(table, user, rng):
    """The request of each session, numbered: a new one, or one of the user's earlier ones, but not that just before."""
    returns = rng.random(len(user)) < table["returns"]
    lag = np.rint(read(table["lag"], rng.random(len(user)))).astype(int)
    earlier = np.arange(len(user)) - np.maximum(lag, 2)
    begin = np.searchsorted(user, user)  # of the user's sessions
    request = []
    for session, (again, before, least) in enumerate(zip(returns, earlier, begin, strict=True)):
        if before < least < session:  # further back than his first one: count on from the last
            before = least + (before - least) % (session - least)
        while again and before >= least and request[before] == request[-1]:
            before -= 1
        request.append(request[before] if again and before >= least else session)
    return request


# What is asked for, and how long it runs


def _work(table, jobs, rng):
    """Adds procs, requested (seconds, or -1), run (seconds) and used: R, or the run time of jobs that requested none.

    The scores of a month's jobs, and of the jobs of users who are equally busy, are raised or lowered until their
    work is nearly the log's. What is left to a month is made up for by the run times alone.
    """
    months = np.array(table["months"]["work"], float) * 3600
    users = np.array(table["sessions"]["work"]) * months.sum()
    targets = [(jobs.month.to_numpy(), months), (jobs.busy.to_numpy(), users)]
    lifts = [np.zeros(len(target)) for _, target in targets]
    noise, likeness = rng.standard_normal((3, 4, len(jobs))), table["likeness"]
    user, request = jobs.user.to_numpy(), jobs.request.to_numpy()
    scores = [
        score(numbers[:3], (user, likeness[what]), (request, 1 - likeness[what]))
        for what, numbers in zip(("size", "request"), noise[:2], strict=True)
    ]
    run_times = _run_times(table)
    for _ in range(ROUNDS):
        lift = sum(lift[group] for lift, (group, _) in zip(lifts, targets, strict=True))
        asked = _asked(table, user, scores, noise[2], lift)
        work = asked["procs"] * run_times(asked, asked["place"])[0]
        for lift, (group, target) in zip(lifts, targets, strict=True):
            lift += STEP * np.log(np.maximum(target, 1) / np.maximum(np.bincount(group, work, len(target)), 1))

    month = jobs.month.to_numpy()

    def by_month(power):
        return np.bincount(month, asked["procs"] * run_times(asked, asked["place"] ** power[month])[0])

    run, used = run_times(asked, asked["place"] ** _power(by_month, months)[month])
    columns = {name: asked[name] for name in ("session", "procs", "requested")}
    return jobs.assign(**columns, run=np.rint(run).astype(int), used=used)


def _asked(table, user, scores, noise, lift):
    """What each job asks for, dealt in order of scores raised by `lift`, and where R is in its distribution.

    Parameters
    ----------
    table : dict
    user : int array
    scores : (float array, float array)
        For the size and for the requested time.
    noise : float array, 4 by jobs
        Normal random numbers, for R.
    lift : float array

    Returns
    -------
    dict of arrays
        `procs`, `requested`; `session`, numbered anew, for neighbours can have come out alike; `cell`: the class of
        size and requested time; `place`: the probability at which R is to be read.
    """
    of_size, of_request = (lift + each for each in scores)
    sizes = np.repeat(table["sizes"]["procs"], table["sizes"]["jobs"])
    procs = sizes[(places(of_size, np.zeros_like(user)) * len(sizes)).astype(int)]
    size_class = np.searchsorted([part["upto"] for part in table["size_class"][:-1]], procs)
    times = [requested_times(part) for part in table["size_class"]]
    length = np.array([len(part) for part in times])
    begin = np.cumsum(length) - length
    place = (places(of_request, size_class) * length[size_class]).astype(int)
    requested = np.concatenate(times)[begin[size_class] + place]

    new = (np.diff([user, procs, requested], prepend=-2) != 0).any(axis=0)
    session = np.cumsum(new) - 1
    pair = user * (requested.max() + 2) + requested + 1
    parts = zip((user, pair, session), table["likeness"]["used"], strict=True)
    cell = size_class * len(table["classes"]) + np.searchsorted(table["classes"][:-1], requested)
    place = places(lift / 2 + score(noise, *parts), cell)  # R has less of a range
    return {"procs": procs, "requested": requested, "session": session, "cell": cell, "place": place}


def requested_times(part):
    """The requested times of a size class, sorted: each popular value as often as in the log."""
    others = np.ceil(read(part["others"], (np.arange(part["rest"]) + 0.5) / max(part["rest"], 1)) / 60) * 60
    seconds, jobs = np.array(part["popular"], int).reshape(-1, 2).T
    return np.sort(np.concatenate([np.repeat(seconds, jobs), others.astype(int)]))


def _run_times(table):
    """A function of what jobs asked for and of places in their curves of R.

    It returns run times in seconds, and R in per mille (the run time of jobs that requested none).
    """
    curves = [curve or [0] * len(GRID) for part in table["size_class"] for curve in part["used"]]
    steps = (np.arange(len(curves))[:, None] * 2 + GRID).ravel()  # all curves as one
    values = np.log1p(curves).ravel()

    def run_times(asked, place):
        used, requested = np.expm1(np.interp(asked["cell"] * 2 + place, steps, values)), asked["requested"]
        return np.minimum(np.where(requested == NONE, used, used * requested / 1000), table["longest"]), used

    return run_times


def _power(work, target):
    """By month, the power of the probabilities at which the month's work is the target, by bisection.

    Raised to a power, probabilities stay between 0 and 1, so that no run time leaves the log's range.
    """
    low, high = np.full(len(target), 1 / 64), np.full(len(target), 64.0)
    for _ in range(25):
        middle = np.sqrt(low * high)
        too_much = work(middle) > target
        low, high = np.where(too_much, middle, low), np.where(too_much, high, middle)
    return np.sqrt(low * high)


# When


def _times(table, clock, jobs, rng):
    """Adds submit (seconds). A user's month begins at some time of the month, and what runs over goes to its start."""
    spell, month = jobs.spell.to_numpy(), jobs.month.to_numpy()
    gap = _gaps(table["sessions"], jobs, rng)
    gap[np.diff(spell, prepend=-1) != 0] = 0
    gap *= (_spans(table["sessions"], jobs, rng) / np.maximum(np.bincount(spell, gap), 1e-9))[spell]
    since = np.cumsum(gap)
    since -= since[np.searchsorted(spell, spell)]
    place = (_begins(table["sessions"]["choices"], jobs, since, rng)[spell] + since) % 1
    begin, end = clock.busy(clock.edges[:-1])[month], clock.busy(clock.edges[1:])[month]
    return jobs.assign(submit=clock.time(begin + place * (end - begin)).astype(int))


def _spans(table, jobs, rng):
    """The part of its month from the first to the last job of each spell, longer where there is much work."""
    spells = jobs.assign(work=jobs.procs * jobs.run).groupby("spell").agg({"busy": "first", "work": "sum"})
    return _after(spells.work, spells.busy, table["span_work"], table["span"], rng)


def _gaps(table, jobs, rng):
    """The time from the user's job before to each job, in some unit for each spell, longer after a heavy job."""
    again = np.diff(jobs.session, prepend=-1) == 0
    curves = [curve for pair in zip(table["next"], table["again"], strict=True) for curve in pair]
    return _after(np.roll(jobs.procs * jobs.run, 1), jobs.busy * 2 + again, table["after_work"], curves, rng)


def _after(work, group, correlation, curves, rng):
    """Draw from the curve of each group, correlated with work."""
    work, group = np.array(work) + rng.random(len(work)), np.array(group)  # no two alike
    own = np.sqrt(1 - correlation**2) * rng.standard_normal(len(work))
    place = places(correlation * ndtri(places(work, group)) + own, group)
    drawn = np.empty(len(work))
    for number, curve in enumerate(curves):
        drawn[group == number] = read(curve, place[group == number])
    return drawn


def _begins(choices, jobs, since, rng):
    """Where in its month each spell begins, from 0 to 1; the heaviest choose first.

    Users who find the machine busy come back later, which keeps real load more even than chance would. So of some
    random times each spell takes the one at which its own work meets the least work of others.
    """
    spells = jobs.spell.iloc[-1] + 1
    part = np.minimum(since * PARTS, PARTS - 1).astype(int)
    work = np.bincount(jobs.spell * PARTS + part, jobs.procs * jobs.run.astype(float), spells * PARTS)
    work = work.reshape(spells, PARTS)
    month = jobs.groupby("spell").month.first().to_numpy()
    shift = rng.integers(PARTS, size=(spells, choices))
    busy = np.zeros((month.max() + 1, PARTS))
    begin = np.empty(spells)
    for spell in np.argsort(-work.sum(axis=1), kind="stable"):
        shifted = work[spell][(np.arange(PARTS) - shift[spell][:, None]) % PARTS]
        best = np.argmin(shifted @ busy[month[spell]])
        busy[month[spell]] += shifted[best]
        begin[spell] = shift[spell, best]
    return (begin + rng.random(spells)) / PARTS


# The rest of a log


def _names(table, jobs, rng):
    """Adds group, app, queue and status, and numbers the users from 1."""
    user, request = jobs.user.to_numpy(), jobs.request.to_numpy()
    group = app = queue = NONE
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
        status[chosen] = _status(part, jobs.used.to_numpy()[chosen], rng)
    return jobs.assign(user=user + 1, group=group, app=app, queue=queue, status=status)


def _status(part, used, rng):
    """Status codes at random, with the shares that their class of R has."""
    shares = np.cumsum(np.array(part["jobs"], float), axis=1)
    row = np.searchsorted(part["upto"], used)
    above = rng.random(len(used))[:, None] * shares[row, -1:] >= shares[row]
    return np.array(part["status"])[above.sum(axis=1)]


def _log(table, jobs, rng):
    """The 18 fields in order of submission; also of jobs that were removed before they ran: some jobs once more."""
    jobs = jobs.assign(wait=np.rint(read(table["waits"], rng.random(len(jobs)))).astype(int))
    removed = jobs.iloc[rng.choice(len(jobs), table["removed"])].assign(run=NONE, wait=NONE, status=5)
    jobs = pd.concat([jobs, removed]).sort_values("submit", kind="stable")
    number = pd.RangeIndex(1, len(jobs) + 1, name="job")
    fields = jobs.assign(job=number, requested_procs=jobs.procs, requested_time=jobs.requested)
    return fields.reindex(columns=FIELDS, fill_value=NONE).set_axis(number)
