"""Queues in another order than that of arrival: facts that an order reads, ranks, and a queue ranked in each pass.

The usage of an account is counted in processor-seconds; half of it is forgotten in each half-life. A running job's use
counts from second to second, so that jobs which have not ended give no advantage.

An order that is called job by job takes ten times as long as one over arrays, in which the processor handles four or
eight numbers at a time. So a queue that is ranked in each pass has a row for each fact; a job has the same place in the
row as in the queue. Where ranks never change, all jobs are sorted once, before the loop.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import numpy as np

from .._util.arrays import Floats, Int, Ints, Places
from .._util.compiled import compiled, overloaded, register_jitable, types
from .events import part, small, uncounted

Order = Callable[..., Any]
"""A compiled function that ranks a job, or several at once: see `rank` and `ask_for_ranks`."""


class Usage(NamedTuple):
    """The usage of each account, and of all together, which is the last account.

    Usage is not reduced over time: instead a processor-second weighs twice as much as one a half-life before. The
    ratios, which alone count, are the same. So one power per instant is enough for all accounts.

    Attributes
    ----------
    account : int64 array, by job
    had : float64 array, by account; processor-seconds x their weight, all in one unit
    held : int64 array, by account; processors that its jobs take now
    since : float64 array, by account; the weight of the second for which `had` is right
    clock : float64 array of three numbers
        A second, its weight, and the second whose weight is 1, at most a half-life before; at first -inf.
    half_life : float, seconds; 0 if no order reads usage: then nothing is counted
    share, fair_share : float64 arrays, by account; its usage in multiples of an equal share, and 2 ** -share
    `told` : int64 array, by account; the second for which these two hold
    """

    account: Ints
    had: Floats
    held: Ints
    since: Floats
    clock: Floats
    half_life: float
    share: Floats
    fair_share: Floats
    told: Ints


@part
def _weight(usage: Usage, now: Int) -> float:
    """Find the present weight of a processor-second."""
    clock = usage.clock
    if clock[0] != now:
        clock[0] = now
        if now - clock[2] >= usage.half_life:
            _let_fade(usage, now)
        clock[1] = 2.0 ** ((now - clock[2]) / usage.half_life)
    return clock[1]


@uncounted
def _let_fade(usage: Usage, now: Int) -> None:
    """Keep the second whose weight is 1 within a half-life of now, so that numbers stay small and exact."""
    clock = usage.clock
    if clock[2] == -np.inf:  # nothing has been counted
        clock[2] = now
    half_lives = np.floor((now - clock[2]) / usage.half_life)
    clock[2] += half_lives * usage.half_life
    rest = 0.5**half_lives
    for account in range(usage.had.size):
        usage.had[account] *= rest
        usage.since[account] *= rest


@part
def _until_now(usage: Usage, account: Int, now: Int) -> float:
    """Find the usage of an account up to this second."""
    present = _weight(usage, now)  # first, for all may fade with it
    return usage.had[account] + usage.held[account] * (present - usage.since[account])


@part
def _hold(usage: Usage, job: Int, now: Int, procs: Int) -> None:
    """Note that a job's account holds so many more processors from now on; a negative number gives them back."""
    if usage.half_life > 0:
        for account in (np.uint64(usage.account[job]), np.uint64(usage.had.size - 1)):
            usage.had[account] = _until_now(usage, account, now)
            usage.since[account] = _weight(usage, now)
            usage.held[account] += procs


@register_jitable(_nrt=False, forceinline=True)  # it is used by what numba chooses by type, see `told`
def _account_told(usage: Usage, job: Int, now: Int) -> Int:
    """Find a job's account, whose `share` and `fair_share` are then right for now.

    The share is 1 if it is fair, and 0 if there was no use. It is rounded to nine digits, so that accounts of equal
    usage are equal.
    """
    account = np.uint64(usage.account[job])
    if usage.told[account] != now and usage.half_life > 0:
        everyone = np.uint64(usage.had.size - 1)
        everything = _until_now(usage, everyone, now)
        if everything > 0:
            share = _until_now(usage, account, now) / everything * np.int64(everyone)
            usage.share[account] = np.rint(share * 1e9) / 1e9
            usage.fair_share[account] = 0.5 ** usage.share[account]
        usage.told[account] = now
    return account


class NoRank(ValueError):
    """An order gave no number for a job; arguments: the facts that it read, whether it is the backfill order."""


class Facts(NamedTuple):
    """The facts that an order may read besides wait, estimate and size.

    Attributes
    ----------
    user, group, queue : int64 arrays, by job; -1 where it is not known
    machine : int, processors
    usage : Usage
    """

    user: Ints
    group: Ints
    queue: Ints
    machine: int
    usage: Usage


# What numba chooses from by types must have the same annotations; so `facts` has one that is right for all.


def _three(
    facts: Any,
    job: Int,
    now: Int,
    submit: Ints,
    estimate: Ints,
    size: Ints,
    free: Int,
    extra: Int,
    window: Int,
) -> tuple[float, ...]:
    """Collect wait, estimate and processors."""
    return float(now - submit[job]), float(estimate[job]), float(size[job])


def _every(
    facts: Any, job: Int, now: Int, submit: Ints, estimate: Ints, size: Ints, free: Int, extra: Int, window: Int
) -> tuple[float, ...]:
    """Collect all facts of `orders.GIVEN`."""
    of_job = float(now - submit[job]), float(estimate[job]), float(size[job])
    of_user = float(facts.user[job]), float(facts.group[job]), float(facts.queue[job])
    account = _account_told(facts.usage, job, now)
    had = facts.usage.share[account], facts.usage.fair_share[account]
    return (*of_job, float(now), *of_user, *had, float(facts.machine), float(free), float(extra), float(window))


def told(facts: Facts | None, *given: Any) -> tuple[float, ...]:
    """Collect the facts of a waiting job that an order reads: all of `Facts`, or three numbers if `facts` is None."""
    return _three(facts, *given) if facts is None else _every(facts, *given)


@overloaded(told, jit_options={"_nrt": False, "forceinline": True})
def _told(
    facts: Any, job: Int, now: Int, submit: Ints, estimate: Ints, size: Ints, free: Int, extra: Int, window: Int
) -> Callable[..., tuple[float, ...]]:
    return _three if isinstance(facts, types.NoneType) else _every


@part
def rank(
    order: Order,
    facts: Facts | None,
    job: Int,
    now: Int,
    submit: Ints,
    estimate: Ints,
    size: Ints,
    free: Int,
    extra: Int,
    window: Int,
) -> float:
    """Call an order, a compiled function, for the rank of a waiting job."""
    return order(*told(facts, job, now, submit, estimate, size, free, extra, window))


def refuse(
    facts: Facts | None,
    job: Int,
    now: Int,
    submit: Ints,
    estimate: Ints,
    size: Ints,
    free: Int,
    extra: Int,
    window: Int,
    backfilling: bool,
) -> NoReturn:
    """Raise: an order, that of the queue or that of backfilling, gave no number for a job. This is plain Python."""
    raise NoRank(told(facts, job, now, submit, estimate, size, free, extra, window), backfilling)


@compiled
def _call(order: Order, given: tuple[Any, ...]) -> None:
    """Call a compiled function."""
    order(*given)


def places_in_order(order: Order, facts: Facts | None, submit: Ints, estimate: Ints, size: Ints) -> Places:
    """Sort all jobs by an order that does not change while they wait, ties by arrival. Returns the place of each.

    NoRank if the order gives no number for a job.
    """
    submitted, estimated, sized, none = (column.astype(float) for column in (submit, estimate, size, 0 * size))
    given, ranks = (submitted, estimated, sized), np.empty(size.size)
    if facts is None:
        _call(order, (0.0, *given, ranks))
    else:
        whose = (column.astype(float) for column in (facts.user, facts.group, facts.queue))
        _call(order, (0.0, float(facts.machine), 0.0, *given, *whose, none, none + 1, ranks))
    for job in np.flatnonzero(np.isnan(ranks))[:1]:
        refuse(facts, job, submit[job], submit, estimate, size, 0, 0, 0, False)
    places = np.empty(size.size, np.uint64)
    places[np.argsort(-ranks, kind="stable")] = np.arange(size.size)
    return places


@small
def note_start(facts: Facts | None, job: Int, now: Int, size: Ints) -> None:
    """Note that a job takes its processors."""
    if facts is not None:
        _hold(facts.usage, job, now, size[job])


@small
def note_end(facts: Facts | None, job: Int, now: Int, size: Ints) -> None:
    """Note that a job gives its processors back."""
    if facts is not None:
        _hold(facts.usage, job, now, -size[job])


_SUBMIT, _ESTIMATE, SIZE, NEEDED, RANK, FITTING, _USER, _GROUP, _QUEUE, _USAGE, _FAIR_SHARE = range(11)
"""The rows: what the order is told; NEEDED, the estimate by which jobs are backfilled; the ranks, and those of the jobs
that can be backfilled, not a number for the others. The last five are there where an order asks for more than three
numbers."""


def no_rows(jobs: int, facts: Facts | None) -> Floats:
    """Make room for so many jobs. This is plain Python."""
    return np.empty((_USER if facts is None else _FAIR_SHARE + 1, jobs))


@part
def tell(
    rows: Floats, place: Int, job: Int, submit: Ints, size: Ints, asked: Ints, needed: Ints, facts: Facts | None
) -> None:
    """Write the constant facts of a job into its place; its estimates in the order and in backfilling may differ."""
    rows[_SUBMIT, place], rows[SIZE, place] = submit[job], size[job]
    rows[_ESTIMATE, place], rows[NEEDED, place] = asked[job], needed[job]
    if facts is not None:
        rows[_USER, place], rows[_GROUP, place] = facts.user[job], facts.group[job]
        rows[_QUEUE, place], rows[_USAGE, place], rows[_FAIR_SHARE, place] = facts.queue[job], 0.0, 1.0


@part
def copy_row(rows: Floats, place: Int, to: Int) -> None:
    """Copy all facts of the job at a place to another place."""
    for row in range(rows.shape[0]):
        rows[row, to] = rows[row, place]


def ask(
    order: Order, facts: Facts | None, rows: Floats, jobs: Places, begin: Int, end: Int, now: Int, free: Int
) -> None:
    """Rank the jobs at the places from `begin` to `end` by an order that reads all of `Facts` or three numbers."""


@overloaded(ask, jit_options={"_nrt": False, "forceinline": True})
def _ask(
    order: Order, facts: Any, rows: Floats, jobs: Places, begin: Int, end: Int, now: Int, free: Int
) -> Callable[..., None]:
    def three(order: Order, facts: Any, rows: Floats, jobs: Places, begin: Int, end: Int, now: Int, free: Int) -> None:
        submit, estimate, size = rows[_SUBMIT, begin:end], rows[_ESTIMATE, begin:end], rows[SIZE, begin:end]
        order(float(now), submit, estimate, size, rows[RANK, begin:end])

    def every(order: Order, facts: Any, rows: Floats, jobs: Places, begin: Int, end: Int, now: Int, free: Int) -> None:
        submit, estimate, size = rows[_SUBMIT, begin:end], rows[_ESTIMATE, begin:end], rows[SIZE, begin:end]
        user, group, queue = rows[_USER, begin:end], rows[_GROUP, begin:end], rows[_QUEUE, begin:end]
        usage, fair_share, rank = rows[_USAGE, begin:end], rows[_FAIR_SHARE, begin:end], rows[RANK, begin:end]
        if facts.usage.half_life > 0:
            for i in range(end - begin):
                account = _account_told(facts.usage, jobs[np.uint64(begin + i)], now)
                usage[i], fair_share[i] = facts.usage.share[account], facts.usage.fair_share[account]
        of_all = float(now), float(facts.machine), float(free)
        order(*of_all, submit, estimate, size, user, group, queue, usage, fair_share, rank)

    return three if isinstance(facts, types.NoneType) else every


@part
def ask_for_ranks(
    rows: Floats, jobs: Places, begin: Int, end: Int, now: Int, free: Int, order: Order, facts: Facts | None
) -> Int:
    """Call an order, a compiled function, for the ranks of the jobs at the places from `begin` to `end`.

    Returns the place of the first job without a number, `end` if all have one.
    """
    if begin == end:
        return end
    ask(order, facts, rows, jobs, begin, end, now, free)
    rank, without = rows[RANK, begin:end], 0
    for i in range(end - begin):
        without += np.isnan(rank[i])
    if without > 0:
        while not np.isnan(rows[RANK, begin]):
            begin += 1
        return begin
    return end


@part
def best_of(rows: Floats, row: int, jobs: Places, number: Ints, begin: Int, end: Int) -> Int:
    """Find the largest value in a row, ties by arrival. Returns its place, `end` if no value is a number."""
    values = rows[row]
    best, first = -np.inf, end
    for i in range(begin, end):
        if values[i] >= best:  # seldom
            if values[i] > best or first == end or number[jobs[i]] < number[jobs[first]]:
                best, first = values[i], i
    return first


@part
def _before(rows: Floats, jobs: Places, number: Ints, one: Int, other: Int) -> bool:
    """Tell whether the job at one place ranks before that at another; ties by arrival."""
    ranks = rows[RANK]
    return ranks[one] > ranks[other] or (ranks[one] == ranks[other] and number[jobs[one]] < number[jobs[other]])


@part
def _swap(rows: Floats, jobs: Places, one: Int, other: Int) -> None:
    """Exchange the jobs at two places."""
    jobs[one], jobs[other] = jobs[other], jobs[one]
    for row in range(rows.shape[0]):
        rows[row, one], rows[row, other] = rows[row, other], rows[row, one]


# The queue of EASY, ranked anew in each pass

Given = tuple[Int, Int, Int, Int, Int, Int]
"""What a pass knows: now, the shadow time, the free processors and GPUs, and the extra ones."""


@part
def take_out(rows: Floats, jobs: Places, place: Int, last: Int) -> None:
    """Take out the job at a place; the last one takes the place. `last` is the place of the last one."""
    jobs[place] = jobs[last]
    copy_row(rows, last, place)


@part
def best_ranked(rows: Floats, jobs: Places, number: Ints, last: Int, given: Given, gpus: Ints | None) -> Int:
    """Find the highest-ranked job that can be backfilled. Returns its place; `last` if there is none.

    The head cannot be, because too few processors are free.
    """
    now, shadow, free, free_gpus, extra, extra_gpus = given
    window, candidates = shadow - now, 0
    if free == 0:
        return last
    size, needed = rows[SIZE, :last], rows[NEEDED, :last]
    rank, fitting = rows[RANK, :last], rows[FITTING, :last]
    for i in range(last):
        fits = (size[i] <= free) & ((needed[i] <= window) | (size[i] <= extra))
        if gpus is not None:
            of_job = gpus[jobs[i]]
            fits &= (of_job <= free_gpus) & ((needed[i] <= window) | (of_job <= extra_gpus))
        fitting[i] = rank[i] if fits else np.nan
        candidates += fits
    return best_of(rows, FITTING, jobs, number, 0, last) if candidates > 0 else last


@uncounted
def bring_to_front(rows: Floats, jobs: Places, last: Int, count: Int, number: Ints) -> None:
    """Put the first so many jobs by rank to the front, in their order. They are seldom others than in the last pass."""
    for i in range(1, last):
        j = min(i, count)
        if i > j:
            if not _before(rows, jobs, number, i, j - 1):
                continue
            _swap(rows, jobs, i, j - 1)
            j -= 1
        while j > 0 and _before(rows, jobs, number, j, j - 1):
            _swap(rows, jobs, j, j - 1)
            j -= 1
