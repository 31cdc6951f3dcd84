"""A slow and obvious scheduler to hold others against, written from MF section 2 and Tang et al. sections 4 and 5.

The compiled engine is compared with it job by job, and so can be a policy of your own. It shares no code with the
engine and avoids its ideas: no event queue, no sorted arrays, no profile kept up to date. Every question ("how many
processors are free then?") is answered by going through all jobs. So it is for hundreds of jobs, not for whole logs.

>>> import simlib
>>> from simlib import reference
>>> w = simlib.load("sample")
>>> few = w.select(w.jobs.index <= 60)
>>> right = reference.simulate(few, simlib.EASY())
>>> print(reference.first_difference(simlib.simulate(few, simlib.EASY()), right))
None
"""

from dataclasses import dataclass

import numpy as np

from .policies import EASY as EasyPolicy
from .policies import FCFS as FcfsPolicy
from .policies import Conservative as ConservativePolicy
from .schedule import Schedule


def simulate(workload, policy, overrun="extend", feedback=False):
    """Schedule a workload's jobs as `simlib.simulate` does, slowly and obviously.

    Parameters
    ----------
    workload, policy, overrun, feedback
        As for `simlib.simulate`; the policy is FCFS, EASY or Conservative. An order of EASY may be any function of
        (wait, estimate, size), for it is not compiled.

    Returns
    -------
    Schedule

    Raises
    ------
    ValueError
        For a policy that is written nowhere here.
    """
    jobs = workload.jobs
    run = jobs.run.clip(upper=jobs.estimate.clip(lower=0)) if overrun == "kill" else jobs.run
    rows = zip(jobs.submit, run, jobs.estimate.clip(lower=run), jobs.procs, strict=True)
    place, think = (column.tolist() for column in workload.followed()) if feedback else ([], [])
    follows = {job: link for job, link in enumerate(zip(place, think, strict=True)) if link[0] >= 0}
    done = schedule([tuple(map(int, row)) for row in rows], workload.procs, _scheduler(policy, jobs), follows)
    columns = {"start": "start", "submit": "submit", "backfilled": "backfilled"}
    if type(policy) is ConservativePolicy:
        columns["guarantee"] = "guarantee"
    if getattr(policy, "adjust", None) is not None:
        columns["adjusted"] = "adjusted"
    found = {name: np.array([getattr(job, own) for job in done]) for name, own in columns.items()}
    return Schedule(workload, policy, overrun, run.to_numpy(), **found, feedback=feedback)


def _scheduler(policy, jobs):
    """What schedules as the policy says."""
    if type(policy) is FcfsPolicy:
        return FCFS()
    if type(policy) is ConservativePolicy:
        return Conservative(policy.compress)
    if type(policy) is EasyPolicy:
        options = {"reuse_extra": policy.reuse_extra, "priority": _priority(policy.order)}
        return AdjustedEASY(*_adjustment(policy.adjust, jobs), **options) if policy.adjust else EASY(**options)
    raise ValueError(f"reference: found policy {policy!r}, expected simlib.FCFS(), EASY(...) or Conservative(...)")


def _priority(order):
    """The function of (wait, estimate, size) by which the queue is sorted; None for the order of arrival."""
    if isinstance(order, str):
        return {"fcfs": None, "sjf": sjf, "wfp": wfp}[order]

    def of_floats(*numbers):
        with np.errstate(all="ignore"):  # as where it is compiled: a division by zero is infinite
            return order(*map(np.float64, numbers))

    return of_floats


def _adjustment(adjust, jobs):
    """What `AdjustedEASY` is to know of a `simlib.walltime.Adjustment`."""
    scheme = adjust.scheme
    past = adjust.past if adjust.past is not None else jobs[:0].assign(end=0)
    used = [min(1, run / estimate) if estimate else 1 for run, estimate in zip(past.run, past.estimate, strict=True)]
    earlier = list(zip(_keys(past, scheme), used, past.end, strict=True))
    switches = adjust.queue, adjust.backfill, adjust.running
    limits = scheme.window_s, scheme.percentile, scheme.threshold or 0, scheme.least
    return _keys(jobs, scheme), earlier, *limits, switches, adjust.overdue


def _keys(jobs, scheme):
    """The key of each job, None where a part of it is not known."""
    parts = zip(*(jobs[column] for column in scheme.columns), strict=True)
    return [None if -1 in key else key for key in parts]


# Which of two schedules is right?


@dataclass(frozen=True)
class Difference:
    """Where two schedules of the same jobs part; printed, it says so and why.

    Attributes
    ----------
    job
        The job's label: the first one, in order of time, that starts in one schedule and not in the other.
    time : int
        The second at which it starts in one of them. Before it, both have started the same jobs at the same times.
    starts : (int, int)
        The second at which it starts in the first and in the second schedule.
    text : str
        The same in words, and what a policy that `simlib.explain` knows decided on the job at that second.
    """

    job: object
    time: int
    starts: tuple
    text: str

    def __str__(self):
        return self.text


def first_difference(one, other):
    """Find the first job that two schedules start at different times, and say why.

    Hold your own policy against one that is known to be right: the same jobs, the reference or a compiled policy.

    Parameters
    ----------
    one, other : Schedule
        Of the same jobs on as many processors, with the same `overrun`.

    Returns
    -------
    Difference or None
        None where all jobs start at the same times in both.

    Raises
    ------
    ValueError
        Where the schedules are not of the same jobs, machine and run times.
    """
    a, b = one.jobs, other.jobs
    same = a.index.equals(b.index) and a[_GIVEN].equals(b[_GIVEN]) and one.workload.procs == other.workload.procs
    if not same:
        raise ValueError(
            f"first_difference: found schedules of {one.workload!r} and {other.workload!r}, "
            "expected two of the same jobs and run times on the same machine"
        )
    differ = np.flatnonzero((a.start != b.start).to_numpy())
    if not len(differ):
        return None
    earlier = np.minimum(a.start, b.start).to_numpy()
    place = differ[earlier[differ].argmin()]  # the first of them by arrival
    time, job = int(earlier[place]), a.index[place]
    starts = int(a.start.iloc[place]), int(b.start.iloc[place])
    return Difference(job, time, starts, _in_words(one, other, place, time, starts))


_GIVEN = ["run", "estimate", "procs"]


def _in_words(one, other, place, time, starts):
    from .explain import decided  # which is not needed to schedule
    from .explain.words import jobs, length, number, processors

    its = one.jobs.iloc[place]
    names = [str(schedule.policy) for schedule in (one, other)]
    names = names if names[0] != names[1] else ["the first", "the second"]
    until = int((one.jobs.start < time).sum())
    who = f"{jobs([its.name])} ({processors(its.procs)}, estimate {length(max(its.estimate, its.run))})"
    lines = [
        f"Until second {number(time)} both schedules start the same {until:,} jobs at the same times. Then they part "
        f"at {who}, submitted at {number(its.submit)}: "
        f"{names[0]} starts it at {number(starts[0])}, {names[1]} at {number(starts[1])}."
    ]
    for name, schedule in zip(names, (one, other), strict=True):
        said = decided(schedule, its.name, time)
        lines += [f"{name}: {sentence}" for sentence in said]
    return "\n".join(lines)


# The scheduler


class Job:
    def __init__(self, number, submit, run, estimate, size):
        self.number, self.submit, self.run, self.estimate, self.size = number, submit, run, estimate, size
        self.in_queue = self.to_backfill = self.while_running = estimate  # EASY: which may be adjusted
        self.arrival = None  # how many joined the queue before it
        self.start = None  # when it starts to run
        self.reserved = None  # conservative only: when it is to start
        self.guarantee = None
        self.backfilled = False

    def end(self):
        return self.start + self.run

    def expected_end(self):
        return self.start + self.estimate


def schedule(rows, machine, scheduler, follows=None):
    """Schedule jobs given as (submit, run, estimate, size), in order of submission; returns them as Jobs.

    `follows[number] = preceding number, think`: the job is submitted a think time after the end of the preceding one.
    """
    jobs = [Job(number, *row) for number, row in enumerate(rows)]
    follows = follows or {}
    for number in follows:
        jobs[number].submit = None  # until the preceding job has ended
    gone = set()
    queue = []
    arrived = 0
    while any(job.start is None for job in jobs):
        now = next_instant(jobs, queue, gone)
        left = [job for job in jobs if job.start is not None and job not in gone and job.end() <= now]
        gone.update(left)
        for number, (preceding, think) in follows.items():
            if jobs[preceding] in left:
                jobs[number].submit = jobs[preceding].end() + think
        running = [job for job in jobs if job.start is not None and job not in gone]
        scheduler.jobs_left(left, running, queue, machine, now)
        for job in jobs:
            if job.arrival is None and job.submit is not None and job.submit <= now:
                job.arrival = arrived
                arrived += 1
                scheduler.job_joins(job, running, queue, machine, now)
                queue.append(job)
        for job in scheduler.scheduling_pass(running, queue, machine, now):
            job.start = now
            queue.remove(job)
    return jobs


def next_instant(jobs, queue, gone):
    """The next time at which something ends, arrives or has a reservation; now again after a job of no length."""
    times = [job.end() for job in jobs if job.start is not None and job not in gone]
    times += [job.submit for job in jobs if job.arrival is None and job.submit is not None]
    times += [job.reserved for job in queue if job.reserved is not None]
    return min(times)


class FCFS:
    def jobs_left(self, left, running, queue, machine, now):
        pass

    def job_joins(self, job, running, queue, machine, now):
        pass

    def scheduling_pass(self, running, queue, machine, now):
        free = machine - sum(job.size for job in running)
        starting = []
        for job in queue:
            if job.size > free:
                break
            free -= job.size
            starting.append(job)
        return starting


class EASY(FCFS):
    """Section 2.2; `priority` of (wait, estimate, size), larger first, or None for order of arrival."""

    def __init__(self, reuse_extra=False, priority=None):
        self.reuse_extra, self.priority = reuse_extra, priority

    def scheduling_pass(self, running, queue, machine, now):
        queue = list(queue)
        if self.priority:
            queue.sort(key=lambda job: (-self.priority(now - job.submit, job.in_queue, job.size), job.arrival))
        starting = super().scheduling_pass(running, queue, machine, now)
        waiting = [job for job in queue if job not in starting]
        if not waiting:
            return starting
        head, others = waiting[0], waiting[1:]

        # who holds processors until when, as far as the scheduler knows
        held = [(self.expected_end(job, now), job.size) for job in running]
        held += [(now + job.while_running, job.size) for job in starting]

        def free_at(time):
            return machine - sum(size for end, size in held if end > time)

        shadow = min(time for time in [now] + [end for end, _ in held] if self.head_fits(head, held, machine, time))
        extra = free_at(shadow) - head.size
        free = machine - sum(size for _, size in held)
        for job in others:
            if job.size > free:
                continue
            if now + job.to_backfill <= shadow:
                pass
            elif job.size <= extra:
                if not self.reuse_extra:
                    extra -= job.size
            else:
                continue
            free -= job.size
            job.backfilled = True
            starting.append(job)
        return starting

    def expected_end(self, job, now):
        return max(now, job.start + job.while_running)

    def head_fits(self, head, held, machine, time):
        """Whether the head would find enough processors once all that are to end by then have ended.

        It did not fit now, and what is to end right now has not ended: so the running ones that are to end by `time`
        are counted as gone, at least one of them.
        """
        gone = [size for end, size in held if end <= time]
        return gone and machine - sum(size for end, size in held if end > time) >= head.size


class AdjustedEASY(EASY):
    """Sections 4 and 5 of Tang et al.: estimates times A, from jobs of the same key that ended before the submission.

    `keys` has the key of each job by number, None where it is not known; `past` has earlier jobs as (key, R, end).
    """

    def __init__(self, keys, past, window, percentile, threshold, least, switches, overdue, **options):
        super().__init__(**options)
        self.keys, self.ended = keys, list(past)
        self.window, self.percentile, self.threshold, self.least = window, percentile, threshold, least
        self.switches, self.overdue = switches, overdue
        self.close_call = False  # whether rounding to whole seconds hung on the last digits

    def jobs_left(self, left, running, queue, machine, now):
        for job in left:
            used = min(1, job.run / job.estimate) if job.estimate else 1
            self.ended.append((self.keys[job.number], used, job.end()))

    def job_joins(self, job, running, queue, machine, now):
        mine = self.keys[job.number]
        eligible = [r for key, r, end in self.ended if mine and key == mine and now - self.window <= end < now]
        job.adjusted = job.estimate
        if len(eligible) >= self.least:
            exact = job.estimate * max(np.percentile(eligible, self.percentile), self.threshold)
            job.adjusted = round(exact)
            self.close_call |= 0 < abs(exact % 1 - 0.5) < 1e-6
        in_queue, to_backfill, while_running = self.switches
        job.in_queue = job.adjusted if in_queue else job.estimate
        job.to_backfill = job.adjusted if to_backfill else job.estimate
        job.while_running = job.adjusted if while_running else job.estimate

    def expected_end(self, job, now):
        end = job.start + job.while_running
        return end if end > now else now + self.overdue


class Conservative(FCFS):
    """Section 2.1; `order` of compression: "arrival" or "start"; or "none", or "rebackfill" instead of compressing."""

    def __init__(self, order):
        self.order = order

    def jobs_left(self, left, running, queue, machine, now):
        if self.order == "none" or not any(job.expected_end() > now for job in left):
            return
        if self.order == "rebackfill":
            for k, job in enumerate(queue):
                job.reserved = self.anchor(job, running, queue[:k], machine, now)
            return
        ordered = list(queue)
        if self.order == "start":
            ordered.sort(key=lambda job: (job.reserved, job.arrival))
        for job in ordered:
            others = [other for other in queue if other is not job]
            job.reserved = min(job.reserved, self.anchor(job, running, others, machine, now))

    def job_joins(self, job, running, queue, machine, now):
        job.reserved = job.guarantee = self.anchor(job, running, queue, machine, now)

    def scheduling_pass(self, running, queue, machine, now):
        starting = [job for job in queue if job.reserved == now]
        waiting = [job for job in queue if job.reserved > now]
        for job in starting:
            job.backfilled = any(other.arrival < job.arrival for other in waiting)
        return starting

    def anchor(self, job, running, reserved, machine, now):
        """The earliest time at which the job fits until its expected end, beside the running and reserved ones."""
        blocks = [(other.start, other.expected_end(), other.size) for other in running]
        blocks += [(other.reserved, other.reserved + other.estimate, other.size) for other in reserved]

        def free_at(time):
            return machine - sum(size for start, end, size in blocks if start <= time < end)

        for anchor in sorted({now} | {end for _, end, _ in blocks if end > now}):
            changes = [start for start, _, _ in blocks if anchor < start < anchor + job.estimate]
            if all(free_at(time) >= job.size for time in [anchor, *changes]):
                return anchor
        raise AssertionError("a job no larger than the machine fits after all others")


def sjf(wait, estimate, size):
    return -estimate


def wfp(wait, estimate, size):
    ratio = wait / max(estimate, 1)
    return ratio * ratio * ratio * size
