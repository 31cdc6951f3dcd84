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

from .._util.arrays import Floats, Int, Ints, Place, Places
from .._util.compiled import compiled, overloaded, register_jitable, types
from .events import NEVER, ONE, part, small, uncounted
from .index import GONE, places_for

Order = Callable[..., Any]
"""A compiled function that ranks a job, or several at once: see `rank` and `ask_for_ranks`."""


class Usage(NamedTuple):
    """The usage of each account, and of all together, which is the last account.

    Usage is not reduced over time: instead a processor-second weighs twice as much as one a half-life before. The
    ratios, which alone count, are the same. So nothing has to be computed for accounts that hold no processors.

    Attributes
    ----------
    account : int64 array, by job
    had : float64 array, by account; processor-seconds x their weight, all in one unit
    held : int64 array, by account; processors that its jobs take now
    since : int64 array, by account; the second for which `had` is right
    clock : float64 array of three numbers
        A second, its weight, and the second whose weight is 1, at most a half-life before; at first -inf.
    half_life : float, seconds; 0 if no order reads usage: then nothing is counted
    share, fair_share : float64 arrays, by account; its usage in multiples of an equal share, and 2 ** -share
    `told` : int64 array, by account; the second for which these two hold
    """

    account: Ints
    had: Floats
    held: Ints
    since: Ints
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


@part
def _until_now(usage: Usage, account: Int, now: Int) -> float:
    """Find the usage of an account up to this second.

    The difference of two weights near each other has few digits; `expm1` has all.
    """
    present = _weight(usage, now)  # first, for all may fade with it
    if usage.held[account] == 0:
        return usage.had[account]
    forgotten = -np.expm1((usage.since[account] - now) * (np.log(2.0) / usage.half_life))
    return usage.had[account] + usage.held[account] * present * forgotten


@part
def _hold(usage: Usage, job: Int, now: Int, procs: Int) -> None:
    """Note that a job's account holds so many more processors from now on; a negative number gives them back."""
    if usage.half_life > 0:
        for account in (np.uint64(usage.account[job]), np.uint64(usage.had.size - 1)):
            usage.had[account] = _until_now(usage, account, now)
            usage.since[account] = now
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


@part
def _tell_shares(rows: Floats, jobs: Places, begin: Int, end: Int, now: Int, facts: Facts | None) -> None:
    """Write into the rows what the accounts of some jobs have used until now."""
    if facts is not None and facts.usage.half_life > 0:
        usage, fair_share = rows[_USAGE, begin:end], rows[_FAIR_SHARE, begin:end]
        for i in range(end - begin):
            account = _account_told(facts.usage, jobs[np.uint64(begin + i)], now)
            usage[i], fair_share[i] = facts.usage.share[account], facts.usage.fair_share[account]


def ask(order: Order, rows: Floats, begin: Int, end: Int, now: Int, free: Int, facts: Facts | None) -> None:
    """Let an order, which reads all of `Facts` or three numbers, write the ranks of the jobs from `begin` to `end`."""


@overloaded(ask, jit_options={"_nrt": False, "forceinline": True})
def _ask(order: Order, rows: Floats, begin: Int, end: Int, now: Int, free: Int, facts: Any) -> Callable[..., None]:
    def three(order: Order, rows: Floats, begin: Int, end: Int, now: Int, free: Int, facts: Any) -> None:
        submit, estimate, size = rows[_SUBMIT, begin:end], rows[_ESTIMATE, begin:end], rows[SIZE, begin:end]
        order(float(now), submit, estimate, size, rows[RANK, begin:end])

    def every(order: Order, rows: Floats, begin: Int, end: Int, now: Int, free: Int, facts: Any) -> None:
        submit, estimate, size = rows[_SUBMIT, begin:end], rows[_ESTIMATE, begin:end], rows[SIZE, begin:end]
        user, group, queue = rows[_USER, begin:end], rows[_GROUP, begin:end], rows[_QUEUE, begin:end]
        usage, fair_share, rank = rows[_USAGE, begin:end], rows[_FAIR_SHARE, begin:end], rows[RANK, begin:end]
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
    _tell_shares(rows, jobs, begin, end, now, facts)
    ask(order, rows, begin, end, now, free, facts)
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
def _mark_fitting(rows: Floats, jobs: Places, begin: Int, end: Int, given: Given, gpus: Ints | None) -> Int:
    """Copy the ranks of the jobs between two places that can be backfilled into a row. Returns their number."""
    now, shadow, free, free_gpus, extra, extra_gpus = given
    window, candidates = shadow - now, 0
    size, needed = rows[SIZE, begin:end], rows[NEEDED, begin:end]
    rank, fitting = rows[RANK, begin:end], rows[FITTING, begin:end]
    for i in range(end - begin):
        fits = (size[i] <= free) & ((needed[i] <= window) | (size[i] <= extra))
        if gpus is not None:
            of_job = gpus[jobs[begin + i]]
            fits &= (of_job <= free_gpus) & ((needed[i] <= window) | (of_job <= extra_gpus))
        fitting[i] = rank[i] if fits else np.nan
        candidates += fits
    return candidates


@part
def best_ranked(rows: Floats, jobs: Places, number: Ints, last: Int, given: Given, gpus: Ints | None) -> Int:
    """Find the highest-ranked job that can be backfilled. Returns its place; `last` if there is none.

    The head cannot be, because too few processors are free.
    """
    if given[2] > 0 and _mark_fitting(rows, jobs, 0, last, given, gpus) > 0:
        return best_of(rows, FITTING, jobs, number, 0, last)
    return last


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


# A long queue: only blocks of places that may have the first job are ranked

_BLOCK = np.uint64(64)


Rise = tuple[float, float, float, float]
"""How much a rank rises at most in a second; how much it differs for each unit of fair share; what rounding adds; and
after how many seconds in the queue it rises no more. If the first is infinite, it is only known that ranks never fall.
"""


class Bounds(NamedTuple):
    """What no rank exceeds among the jobs of a block of places, where it is known how ranks rise (`Rise`).

    All jobs of a block are of one kind: of similar size, and of the same account if usage counts, else of similar
    estimate. A kind has places for all its jobs, and those that wait are at the first of these.

    Attributes
    ----------
    kind : int64 array, by job
    begin, waiting : uint64 arrays, by kind; its first place, which begins a block, and how many of its jobs wait
    live, at, many : uint64 arrays; the kinds of which jobs wait, by kind its place among these, and how many they are
    share : float64 array, by kind; the fair share of its account
    bound, of_share : float64 arrays, by block; the bound of the ranks, for the second `of` and this fair share
    of, until : int64 arrays, by block; the bound holds, or rises, until this second
    latest : int64 array, by block; when its last job was submitted
    size, needed : float64 arrays, by block; the least size and the shortest estimate, or less
    ranked, first : int64 arrays, by block; the second for which its ranks are right, and the place of the first then
    """

    kind: Ints
    begin: Places
    waiting: Places
    live: Places
    at: Places
    many: Places
    share: Floats
    bound: Floats
    of_share: Floats
    of: Ints
    until: Ints
    latest: Ints
    size: Floats
    needed: Floats
    ranked: Ints
    first: Ints


def in_blocks(
    queue: Places, rows: Floats, waiting: int, size: Ints, estimate: Ints, facts: Facts | None
) -> tuple[Bounds, Places, Floats]:
    """Move those who wait, at the first places, to the places of their kinds, of which nothing is known yet.

    Returns the queue and the rows of all these places, too. This is plain Python.
    """
    kind = np.frexp(size)[1].astype(np.int64)  # by powers of two
    if facts is not None and facts.usage.half_life > 0:
        kind += facts.usage.account * (kind.max() + 1)
    else:
        kind += np.frexp(estimate)[1].astype(np.int64) * (kind.max() + 1)
    kind = np.unique(kind, return_inverse=True)[1]
    blocks = -(-np.bincount(kind) // int(_BLOCK))
    count = blocks.sum()
    begin = (np.cumsum(blocks) - blocks) * int(_BLOCK)
    of_waiting = kind[queue[:waiting]]
    order, live = np.argsort(of_waiting, kind="stable"), np.bincount(of_waiting, minlength=begin.size)
    to = np.arange(waiting) + (begin - np.cumsum(live) + live)[of_waiting[order]]
    moved, told = np.full(places_for(count * int(_BLOCK)), GONE), np.empty((len(rows), count * int(_BLOCK)))
    moved[to], told[:, to] = queue[order], rows[:, order]
    first, waits, shares = begin.astype(np.uint64), live.astype(np.uint64), np.ones(len(begin))
    kinds = np.argsort(waits == 0, kind="stable").astype(np.uint64)  # first those of which jobs wait
    listed = kinds, np.argsort(kinds).astype(np.uint64), np.array([np.count_nonzero(waits)], np.uint64)
    (bound, small, short), share = np.full((3, count), np.inf) * [[1], [-1], [-1]], np.zeros(count)
    (of, until, latest, ranked), best = np.full((4, count), -NEVER), np.zeros(count, np.int64)
    by_block = bound, share, of, until, latest, small, short, ranked, best
    return Bounds(kind, first, waits, *listed, shares, *by_block), moved, told


@part
def _forget(bounds: Bounds, place: Int) -> None:
    """Note that another job has taken a place."""
    block = place // _BLOCK
    bounds.bound[block], bounds.size[block], bounds.needed[block] = np.inf, 0.0, -np.inf
    bounds.until[block], bounds.ranked[block] = -NEVER, -NEVER


@part
def join_block(bounds: Bounds, job: Int) -> Place:
    """Find the place for a job that joins the queue."""
    kind = np.uint64(bounds.kind[job])
    place = bounds.begin[kind] + bounds.waiting[kind]
    if bounds.waiting[kind] == 0:
        bounds.live[bounds.many[0]], bounds.at[kind] = kind, bounds.many[0]
        bounds.many[0] += ONE
    bounds.waiting[kind] += ONE
    _forget(bounds, place)
    return place


@part
def leave_block(bounds: Bounds, rows: Floats, jobs: Places, job: Int, place: Place) -> Place:
    """Take out the job at a place, which the last one of its kind takes. Returns the place that is empty then."""
    kind = np.uint64(bounds.kind[job])
    bounds.waiting[kind] -= ONE
    if bounds.waiting[kind] == 0:
        bounds.many[0] -= ONE
        other = bounds.live[bounds.many[0]]
        bounds.live[bounds.at[kind]], bounds.at[other] = other, bounds.at[kind]
    last = bounds.begin[kind] + bounds.waiting[kind]
    take_out(rows, jobs, place, last)
    jobs[last], bounds.ranked[last // _BLOCK] = GONE, -NEVER
    _forget(bounds, place)
    return last


@part
def _least(values: Floats, sign: float = 1.0) -> float:
    """Find the least of some values, or of the negative ones; numpy's function would make an array."""
    least = np.inf
    for value in values:
        if sign * value < least:
            least = sign * value
    return least


@uncounted
def _rank_block(
    bounds: Bounds,
    rows: Floats,
    jobs: Places,
    number: Ints,
    kind: Int,
    begin: Int,
    end: Int,
    now: Int,
    free: Int,
    order: Order,
    facts: Facts | None,
    rise: Rise,
) -> None:
    """Rank the jobs of a block, at these places, for this second, and keep the largest rank as a bound.

    If it is not known how fast ranks rise, the bound is the largest rank after the last job has waited a little longer.
    """
    block, places = begin // _BLOCK, (np.int64(begin), np.int64(end))
    if bounds.needed[block] == -np.inf:
        bounds.size[block], bounds.needed[block] = _least(rows[SIZE, begin:end]), _least(rows[NEEDED, begin:end])
        bounds.latest[block] = np.int64(-_least(rows[_SUBMIT, begin:end], -1.0))
    if rise[0] == np.inf and now > bounds.until[block]:
        later = np.int64(now + (now - bounds.latest[block]) // 64)
        ask(order, rows, begin, end, later, free, facts)
        bounds.until[block] = later
        bounds.bound[block] = rows[RANK, best_of(rows, RANK, jobs, number, *places)]
    _tell_shares(rows, jobs, begin, end, now, facts)
    ask(order, rows, begin, end, now, free, facts)
    bounds.first[block] = first = best_of(rows, RANK, jobs, number, *places)
    if rise[0] < np.inf:
        bounds.bound[block], bounds.of[block], bounds.of_share[block] = rows[RANK, first], now, bounds.share[kind]
        bounds.until[block] = max(now, bounds.latest[block] + np.int64(rise[3]))
    bounds.ranked[block] = now


@small
def _bound(bounds: Bounds, kind: Int, block: Int, now: Int, rise: Rise) -> float:
    """Find what no rank of a block exceeds now."""
    bound = bounds.bound[block]
    if rise[0] < np.inf:
        bound += rise[0] * (min(now, bounds.until[block]) - bounds.of[block])
        bound += rise[1] * (bounds.share[kind] - bounds.of_share[block]) + rise[2]
    elif now > bounds.until[block]:
        bound = np.inf
    return bound


@uncounted
def best_in_blocks(
    bounds: Bounds,
    rows: Floats,
    jobs: Places,
    number: Ints,
    now: Int,
    free: Int,
    order: Order,
    facts: Facts | None,
    rise: Rise,
) -> Place:
    """Find the waiting job that ranks first, ties by arrival; there is one. Returns its place."""
    highest, best, first, likely = -np.inf, -np.inf, np.uint64(0), np.uint64(0)
    for i in range(bounds.many[0]):
        kind = bounds.live[i]
        begin, last = bounds.begin[kind], bounds.begin[kind] + bounds.waiting[kind]
        if facts is not None:
            bounds.share[kind] = facts.usage.fair_share[_account_told(facts.usage, jobs[begin], now)]
        while begin < last:
            bound = _bound(bounds, kind, begin // _BLOCK, now, rise)
            if bound >= highest:
                highest, likely = bound, np.uint64(i)
            begin += _BLOCK
    for i in range(bounds.many[0]):  # the kind with the highest bound first, for then others need not be ranked
        one = bounds.live[(likely + i) % bounds.many[0]]
        begin, last = bounds.begin[one], bounds.begin[one] + bounds.waiting[one]
        while begin < last:
            block, end = begin // _BLOCK, min(begin + _BLOCK, last)
            if _bound(bounds, one, block, now, rise) >= best:
                if bounds.ranked[block] != now:
                    _rank_block(bounds, rows, jobs, number, one, begin, end, now, free, order, facts, rise)
                place = np.uint64(bounds.first[block])
                rank = rows[RANK, place]
                if rank > best or (rank == best and number[jobs[place]] < number[jobs[first]]):
                    best, first = rank, place
            begin += _BLOCK
    return first


@uncounted
def best_ranked_in_blocks(
    bounds: Bounds,
    rows: Floats,
    jobs: Places,
    number: Ints,
    none: Place,
    given: Given,
    gpus: Ints | None,
    order: Order,
    facts: Facts | None,
    rise: Rise,
) -> Place:
    """Find, as `best_ranked`, the highest-ranked job that can be backfilled, after the head was found so."""
    now, shadow, free, _, extra, _ = given
    best, first = -np.inf, none
    for i in range(bounds.many[0] if free > 0 else np.uint64(0)):
        kind = bounds.live[i]
        begin, last = bounds.begin[kind], bounds.begin[kind] + bounds.waiting[kind]
        while begin < last:
            block, end = begin // _BLOCK, min(begin + _BLOCK, last)
            size, places = bounds.size[block], (np.int64(begin), np.int64(end))
            fits = size <= free and (bounds.needed[block] <= shadow - now or size <= extra)
            fits = fits and _bound(bounds, kind, block, now, rise) >= best
            if fits and _mark_fitting(rows, jobs, *places, given, gpus) > 0:
                if bounds.ranked[block] != now:
                    _rank_block(bounds, rows, jobs, number, kind, begin, end, now, free, order, facts, rise)
                    _mark_fitting(rows, jobs, *places, given, gpus)
                place = np.uint64(best_of(rows, FITTING, jobs, number, *places))
                rank = rows[FITTING, place]
                if rank > best or first == none or (rank == best and number[jobs[place]] < number[jobs[first]]):
                    best, first = rank, place
            begin += _BLOCK
    return first
