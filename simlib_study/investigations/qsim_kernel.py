"""Qsim's scheduler, rule by rule: see `simlib_study.investigations.qsim`, where the source of each rule is named.

All rules switched off it is EASY, as `simlib.engine` has it; switched on, what Tang's simulator does.
"""

from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from simlib._util.arrays import Bools, Floats, Int, Ints, Place, Places
from simlib._util.compiled import compiled
from simlib.engine.estimating import Adjusting, adjust, estimates_in_use, put_off, remember
from simlib.engine.events import NEVER, insert_end, part, remove_end, uncounted

FIVE_MINUTES = 300
NOBODY: Int = np.int64(-1)


class Rules(NamedTuple):
    """Qsim's rules, each of which can be switched off; what then holds in its place is EASY's.

    From `blocks` to `run_times` they are about the log and its estimates, before the scheduler runs. The last three
    are options of Qsim that are not its default.
    """

    partitions: bool = True  # a job takes a block of the smallest size that holds it; off: any processors
    all_drain: bool = True  # each job that cannot start drains the block of its size that is free first; off: the first
    inner_blocks: bool = True  # a block inside one that runs is free in five minutes; off: when the job there ends
    least_blocking: bool = True  # a job takes the idle block in the fewest larger idle ones; off: the first one
    backfill_last: bool = True  # jobs are backfilled where no other could start; off: each in its turn
    each_start: bool = True  # each start begins the pass again; off: the head's shadow time is held through it
    five_minutes: bool = True  # what is busy stays so for that long; off: what has outlived an adjusted estimate does
    whole_minutes: bool = True  # estimates are cut to whole minutes, of which there is at least one
    single_events: bool = True  # jobs of one second arrive or end one by one, arrivals first, with a pass after each
    blocks: bool = True  # the log is put on blocks, see `on_blocks`
    overruns: bool = True  # estimates stand that are below the run time; off: they are raised to it
    beforehand: bool = True  # adjusted estimates come with the log, made from its own ends (bqsim.py:376)
    cut: bool = True  # long runs are cut, see `as_read`
    drop: bool = True  # some jobs are dropped, see `as_read`
    run_times: bool = False  # the log has a field for run times: long runs stand, and jobs of no length stay
    largest_first: bool = False  # "bf": of the jobs that can be backfilled the one of most processor-seconds starts
    shortest_first: bool = (
        False  # "sjfb": the one of the shortest estimate of a user; off, "ff": the first in the queue
    )

    def without(self, *names: str) -> "Rules":
        """Switch some rules off."""
        return self._replace(**dict.fromkeys(names, False))


# The machine, as the engine had it when this kernel was written


class Ends(NamedTuple):
    """Running jobs by their ends, or expected ends: `jobs[:length[0]]` run, the next one to end last."""

    jobs: Places
    time: Ints
    length: Ints


class Running(NamedTuple):
    """The machine under EASY: its running jobs, and its free processors."""

    by_end: Ends
    by_expected_end: Ends
    start: Ints
    backfilled: Bools
    free: Ints


@part
def next_end(ends: Ends) -> Int:
    """Tell when the next job ends; `NEVER` if none runs."""
    count = ends.length[0]
    return ends.time[ends.jobs[np.uint64(count - 1)]] if count > 0 else NEVER


@part
def insert(ends: Ends, job: Int, time: Int) -> None:
    """Insert a job that is to end at `time`."""
    insert_end(ends.jobs, np.uint64(ends.length[0]), ends.time, job, time)  # places are unsigned, see `profile`
    ends.length[0] += 1


@part
def start_job(running: Running, job: Int, now: Int, size: Ints, run: Ints, estimate: Ints) -> None:
    """Start a job now: it takes its processors for its run time, and is expected to take them for its estimate."""
    running.start[job] = now
    running.free[0] -= size[job]
    insert(running.by_end, job, now + run[job])
    insert(running.by_expected_end, job, now + estimate[job])


@part
def end_job(running: Running, size: Ints) -> Place:
    """End the next job to end: it frees its processors. Returns it."""
    ends, expected = running.by_end, running.by_expected_end
    ends.length[0] -= 1
    expected.length[0] -= 1
    job = ends.jobs[np.uint64(ends.length[0])]
    remove_end(expected.jobs, np.uint64(expected.length[0]), job)
    running.free[0] += size[job]
    return job


@compiled
def no_ends(jobs: int, at_once: int) -> Ends:
    """Make room for the ends of so many jobs, and for so many that run at once."""
    return Ends(np.empty(at_once, np.uint64), np.zeros(jobs, np.int64), np.zeros(1, np.int64))


@compiled
def idle(machine: int, jobs: int) -> Running:
    """Make a machine of so many processors, on which none of so many jobs runs yet."""
    at_once = min(machine, jobs)
    start, backfilled, free = np.zeros(jobs, np.int64), np.zeros(jobs, np.bool_), np.empty(1, np.int64)
    free[0] = machine
    return Running(no_ends(jobs, at_once), no_ends(jobs, at_once), start, backfilled, free)


# Blocks


class _Lists(NamedTuple):
    """Lists of blocks, one for each block."""

    first: Ints  # by block the place of its first, and one behind the last
    block: Ints


class Blocks(NamedTuple):
    """The blocks of a machine, the smallest ones first; a kind is a size."""

    first: Ints  # by kind the number of its first block, and one behind the last
    size: Ints  # by kind, processors
    conflicts: _Lists  # who cannot run at once: itself, and blocks that share a processor or a wire
    around: _Lists  # those that have all its processors, which are larger, or as large
    parents: _Lists  # these, and those that share a wire
    within: _Lists  # those that it has all processors of
    busy: Ints  # on how many conflicting blocks jobs run
    inside: Ints  # how many of these run on the block or within it, or share a wire
    free_at: Ints  # when it is taken to be free, in this pass
    drained: Bools  # whether it is, in this pass
    longest: Ints  # by kind until when the idle block is free that is so longest, in this pass; -1 for none idle
    soonest: Ints  # by kind the block that is free first, in this pass
    waiting: Ints  # by kind how many jobs wait for one; smaller kinds than those are not looked at in a pass


def lay_out(blocks: tuple[Collection[int], ...], wires: tuple[tuple[int, int], ...] = ()) -> Blocks:
    """Lay out blocks, sets of processors, the smallest ones first; `wires` are pairs of places that share one."""
    fixed = _related(blocks, wires)
    busy, inside, free_at = np.zeros((3, len(blocks)), np.int64)
    longest, soonest, waiting = np.zeros((3, fixed[1].size), np.int64)
    drained = np.zeros(len(blocks), np.bool_)
    return Blocks(*fixed, busy, inside, free_at, drained, longest, soonest, waiting)


@lru_cache(maxsize=32)  # a machine has the same blocks in all its months and cases
def _related(
    blocks: tuple[Collection[int], ...], wires: tuple[tuple[int, int], ...]
) -> tuple[Ints, Ints, _Lists, _Lists, _Lists, _Lists]:
    """Work out the fields of `Blocks` that no simulation changes, in their order."""
    has = np.zeros((len(blocks), 1 + max(map(max, blocks))))
    for place, block in enumerate(blocks):
        has[place, list(block)] = 1
    of = has.sum(axis=1).astype(np.int64)
    if (np.diff(of) < 0).any():
        raise ValueError("lay_out: found a block before a smaller one, expected the smallest ones first")
    shared, itself = has @ has.T, np.eye(len(blocks), dtype=bool)
    wired = np.zeros_like(itself)
    for one, other in wires:
        wired[one, other] = wired[other, one] = True
    around = (shared == of[:, None]) & ~itself
    size, count = np.unique(of, return_counts=True)
    conflicts, parents = _listed((shared > 0) | wired), _listed(around | wired)
    return np.append(0, count.cumsum()), size, conflicts, _listed(around), parents, _listed(around.T)


def _listed(related: Bools) -> _Lists:
    """List which others each block is related to, by a table of all pairs."""
    return _Lists(np.append(0, related.sum(axis=1).cumsum()), related.nonzero()[1].copy())


def aligned(machine: int, least: int = 1) -> tuple[range, ...]:
    """List the aligned blocks of powers of two of a machine of so many processors, from a size on, and all of it."""
    sizes = sorted({2**kind for kind in range(machine.bit_length()) if 2 ** (kind + 1) > least} | {machine})
    return tuple(range(begin, begin + size) for size in sizes for begin in range(0, machine - size + 1, size))


@uncounted
def occupy(blocks: Blocks, block: Int, by: Int) -> None:
    """Let a job take a block, by 1, or leave it, by -1."""
    for i in range(blocks.conflicts.first[block], blocks.conflicts.first[block + 1]):
        blocks.busy[blocks.conflicts.block[i]] += by
    blocks.inside[block] += by
    for i in range(blocks.parents.first[block], blocks.parents.first[block + 1]):
        blocks.inside[blocks.parents.block[i]] += by


@uncounted
def expect(blocks: Blocks, smallest: Int, block_of: Ints, expected: Ends, now: Int, rules: Rules) -> None:
    """Work out when each block of the smallest kind that is waited for, or a larger one, is taken to be free."""
    least = now + FIVE_MINUTES if rules.five_minutes else now
    free_at, busy, inside = blocks.free_at, blocks.busy, blocks.inside
    held = now + FIVE_MINUTES if rules.inner_blocks else now
    for block in range(blocks.first[smallest], free_at.size):
        free_at[block] = held if busy[block] > 0 and inside[block] == 0 else now
    reach = blocks.parents if rules.inner_blocks else blocks.conflicts
    for i in range(expected.length[0]):
        job = expected.jobs[i]
        end, block = max(expected.time[job], least), block_of[job]
        free_at[block] = max(free_at[block], end)
        for j in range(reach.first[block], reach.first[block + 1]):
            free_at[reach.block[j]] = max(free_at[reach.block[j]], end)
    for kind in range(blocks.size.size - 1, smallest - 1, -1):
        longest, soonest = NOBODY, blocks.first[kind]
        for block in range(blocks.first[kind], blocks.first[kind + 1]):
            if busy[block] == 0:
                soonest_around = NEVER
                for j in range(blocks.around.first[block], blocks.around.first[block + 1]):
                    other = blocks.around.block[j]
                    if busy[other] > 0:
                        soonest_around = min(soonest_around, free_at[other])
                if soonest_around < NEVER:
                    free_at[block] = soonest_around
                longest = max(longest, free_at[block])
            if free_at[block] < free_at[soonest]:
                soonest = block
        blocks.longest[kind], blocks.soonest[kind] = longest, soonest


@uncounted
def place_for(blocks: Blocks, kind: Int, until: Int, rules: Rules) -> Int:
    """Find an idle block of a kind that is not drained; or one that is free until then. Returns -1 for none."""
    best, fewest = NOBODY, NEVER
    for block in range(blocks.first[kind], blocks.first[kind + 1]):
        if blocks.busy[block] > 0 or (blocks.drained[block] if until < 0 else blocks.free_at[block] < until):
            continue
        if not rules.least_blocking:
            return np.int64(block)
        larger = 0
        for i in range(blocks.parents.first[block], blocks.parents.first[block + 1]):
            larger += blocks.busy[blocks.parents.block[i]] == 0
        if larger < fewest:
            best, fewest = np.int64(block), np.int64(larger)
    return best


@uncounted
def drain(blocks: Blocks, kind: Int) -> None:
    """Drain the block of a kind that is free first, with all that are around it or inside it, or share a wire."""
    block = blocks.soonest[kind]
    blocks.drained[block] = True
    for i in range(blocks.parents.first[block], blocks.parents.first[block + 1]):
        blocks.drained[blocks.parents.block[i]] = True
    for i in range(blocks.within.first[block], blocks.within.first[block + 1]):
        blocks.drained[blocks.within.block[i]] = True


@uncounted
def next_on_blocks(
    blocks: Blocks,
    block_of: Ints,
    jobs: Ints,
    count: Int,
    kind: Ints,
    expected: Ends,
    size: Ints,
    walltime: Ints,
    needed: Ints,
    now: Int,
    rules: Rules,
    tried: Bools,
) -> tuple[Int, Int, bool]:
    """Find who starts next. Returns the place in the queue, the block, whether somebody waits before; -1 for nobody.

    Those of one size fare alike: when one was blocked, so are the others, and they drain the same block.
    """
    smallest, untried = NOBODY, 0
    for other in range(blocks.size.size - 1, -1, -1):
        if blocks.waiting[other] > 0:
            smallest, untried = other, untried + 1
    blocks.drained[:] = False
    tried[:] = False
    blocked = False
    for i in range(count):
        if untried == 0 and rules.backfill_last:
            break
        job = jobs[i]
        if not tried[kind[job]]:
            block = place_for(blocks, kind[job], -1, rules)
            if block >= 0:
                return np.int64(i), block, blocked
            if not blocked:
                expect(blocks, smallest, block_of, expected, now, rules)
            if rules.all_drain or not blocked:
                drain(blocks, kind[job])
            tried[kind[job]] = blocked = True
            untried -= 1
        if not rules.backfill_last and now + needed[job] <= blocks.longest[kind[job]]:
            return np.int64(i), place_for(blocks, kind[job], now + needed[job], rules), True
    place = NOBODY
    if rules.backfill_last:
        for i in range(count):
            job = jobs[i]
            if now + needed[job] <= blocks.longest[kind[job]]:
                if place < 0 or precedes(job, jobs[place], size, walltime, rules):
                    place = np.int64(i)
                if not (rules.largest_first or rules.shortest_first):
                    break
    if place < 0:
        return NOBODY, NOBODY, False
    job = jobs[place]
    return place, place_for(blocks, kind[job], now + needed[job], rules), True


@uncounted
def precedes(job: Int, other: Int, size: Ints, walltime: Ints, rules: Rules) -> bool:
    """Tell whether a job is backfilled before another one that is before it in the queue."""
    if rules.shortest_first:
        return walltime[job] < walltime[other]
    return bool(rules.largest_first and size[job] * walltime[job] > size[other] * walltime[other])


@uncounted
def next_on_any(
    running: Running,
    jobs: Ints,
    count: Int,
    size: Ints,
    walltime: Ints,
    needed: Ints,
    now: Int,
    rules: Rules,
    held: Ints,
) -> tuple[Int, Int, bool]:
    """Find who starts next on any free processors, as `next_on_blocks`: EASY, but for three rules.

    `held` are the shadow time and the extra processors, and whether they are known.
    """
    free = running.free[0]
    if rules.each_start:
        held[2] = 0
    for i in range(count):
        job = jobs[i]
        if i == 0 and size[job] <= free:
            return np.int64(i), np.int64(0), False
        if i == 0 and not held[2]:
            hold(held, running, size, job, now, rules)
        in_time = now + needed[job] <= held[0]
        if i > 0 and size[job] <= free and ((in_time and not rules.backfill_last) or size[job] <= held[1]):
            if not in_time:
                held[1] -= size[job]
            return np.int64(i), np.int64(0), True
    place = NOBODY
    if rules.backfill_last:
        for i in range(1, count):
            if size[jobs[i]] <= free and now + needed[jobs[i]] <= held[0]:
                if place < 0 or precedes(jobs[i], jobs[place], size, walltime, rules):
                    place = np.int64(i)
                if not (rules.largest_first or rules.shortest_first):
                    break
    return place, min(place, np.int64(0)), bool(place >= 0)


@uncounted
def hold(held: Ints, running: Running, size: Ints, head: Int, now: Int, rules: Rules) -> None:
    """Find the shadow time and the extra processors of the head."""
    expected, available, shadow = running.by_expected_end, running.free[0], now
    least = now + FIVE_MINUTES if rules.five_minutes else now
    for other in range(expected.length[0] - 1, -1, -1):
        end = max(expected.time[expected.jobs[other]], least)
        if available >= size[head] and end > shadow:
            break
        available += size[expected.jobs[other]]
        shadow = max(shadow, end)
    held[0], held[1], held[2] = shadow, available - size[head], 1


@uncounted
def put_in_order(jobs: Ints, count: Int, submit: Ints, estimate: Ints, size: Ints, now: Int, score: Floats) -> None:
    """Sort the queue by WFP, the first to arrive first where it is equal; most of it is in order already."""
    for i in range(count):
        job = jobs[i]
        score[job] = (np.float64(now - submit[job]) / max(np.float64(estimate[job]), 1.0)) ** 3 * size[job]
    for i in range(1, count):
        job, j = jobs[i], i
        while j > 0 and (score[jobs[j - 1]] < score[job] or (score[jobs[j - 1]] == score[job] and jobs[j - 1] > job)):
            jobs[j] = jobs[j - 1]
            j -= 1
        jobs[j] = job


@uncounted
def earliest_to_start_first(ends: Ends) -> None:
    """Let the job that started first end first, where several end next."""
    jobs, last = ends.jobs, ends.length[0] - 1
    i = last
    while i > 0 and ends.time[jobs[i - 1]] == ends.time[jobs[last]]:
        i -= 1
    job = jobs[i]
    for j in range(i, last):
        jobs[j] = jobs[j + 1]
    jobs[last] = job


@part
def cut_to_minutes(estimate: Ints, job: Int) -> None:
    """Cut the estimate of a job to whole minutes, of which there is one at least."""
    estimate[job] = max(estimate[job] // 60, 1) * 60


@compiled
def qsim(
    submit: Ints,
    run: Ints,
    estimate: Ints,
    size: Ints,
    machine: int,
    progress_and_stop: Ints,
    wfp: bool,
    rules: Rules,
    blocks: Blocks,
    adjusting: Adjusting | None,
) -> tuple[Ints, Bools, Ints]:
    """Start times, backfilled and t_sched under Qsim's rules, for a queue in order of WFP, or else of arrival.

    `blocks` are those of the machine, or any without partitions; `adjusting` is None where no estimate is
    adjusted. All else is as for `simlib.engine.easy`.
    """
    n = submit.size
    arrived, running = 0, idle(machine, n)
    estimates = estimates_in_use(estimate, adjusting, None)
    tried, block_of, kind = np.zeros(blocks.size.size, np.bool_), np.full(n, NOBODY), np.zeros(n, np.int64)
    if rules.partitions:
        for i in range(n):
            while blocks.size[kind[i]] < size[i]:
                kind[i] += 1
    expected = running.by_expected_end
    jobs, count, score, held = np.empty(n, np.int64), 0, np.zeros(n), np.zeros(3, np.int64)

    while progress_and_stop[1] == 0:
        now = min(submit[arrived] if arrived < n else NEVER, next_end(running.by_end))
        if now == NEVER:
            break
        progress_and_stop[0] = arrived - count

        more: bool | np.bool_
        single_arrival = rules.single_events and arrived < n and submit[arrived] <= now
        more = not single_arrival
        while more and next_end(running.by_end) <= now:
            if rules.single_events:
                earliest_to_start_first(running.by_end)
            job = end_job(running, size)
            if rules.partitions:
                occupy(blocks, block_of[job], -1)
            remember(adjusting, job, now)
            more = not rules.single_events
        more = single_arrival or not rules.single_events
        while more and arrived < n and submit[arrived] <= now:
            job = np.uint64(arrived)
            arrived += 1
            adjust(adjusting, estimates, job, now)
            if rules.whole_minutes:
                cut_to_minutes(estimates.user, job)
                if adjusting is not None:
                    cut_to_minutes(estimates.t_sched, job)
            blocks.waiting[kind[job]] += 1
            jobs[count] = job
            count += 1
            more = not rules.single_events

        if not rules.five_minutes:
            put_off(adjusting, expected.jobs, expected.length[0], expected.time, running.start, estimates.running, now)
        if wfp:
            put_in_order(jobs, count, submit, estimates.queue, size, now, score)
        held[2] = 0
        while count > 0:
            if rules.partitions:
                place, block, passed = next_on_blocks(
                    blocks,
                    block_of,
                    jobs,
                    count,
                    kind,
                    expected,
                    size,
                    estimates.user,
                    estimates.backfill,
                    now,
                    rules,
                    tried,
                )
            else:
                place, block, passed = next_on_any(
                    running, jobs, count, size, estimates.user, estimates.backfill, now, rules, held
                )
            if place < 0:
                break
            job = jobs[place]
            running.backfilled[job] = passed
            start_job(running, job, now, size, run, estimates.running)
            if rules.partitions:
                occupy(blocks, block, 1)
                block_of[job] = block
            blocks.waiting[kind[job]] -= 1
            count -= 1
            for i in range(place, count):
                jobs[i] = jobs[i + 1]
    return running.start, running.backfilled, estimates.t_sched
