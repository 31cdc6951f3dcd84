"""Schedule slowly and obviously, to check other schedulers: from MF section 2 and Tang et al. sections 4 and 5.

It shares no code with what it checks and avoids its ideas: no event queue, no sorted arrays, no profile kept up to
date. It answers every question ("how many processors are free then?") by going through all jobs. So it is for hundreds
of jobs, not for whole logs. Where jobs need GPUs, a size is a `Pair`: every question is asked of both.
"""

from collections import namedtuple
from itertools import product

import numpy as np
from hypothesis import reject

from simlib import policies
from simlib.core.schedule import Schedule, whose
from simlib.policies.orders import BACKFILL, ORDERS, asked_for


def simulate(workload, policy, overrun="extend", feedback=False):
    """Schedule a workload's jobs as `simlib.simulate` does; an order may be any Python function of facts."""
    jobs = workload.jobs
    run = jobs.run.clip(upper=jobs.estimate.clip(lower=0)) if overrun == "kill" else jobs.run
    columns = jobs.submit, run, jobs.estimate.clip(lower=run), jobs.procs
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    machine = workload.procs
    if workload.needs_gpus:
        machine = Pair(workload.procs, workload.gpus)
        rows = [(*times, Pair(procs, gpus)) for (*times, procs), gpus in zip(rows, jobs.gpus.tolist(), strict=True)]
    place, think = (column.tolist() for column in workload.followed()) if feedback else ([], [])
    follows = {job: link for job, link in enumerate(zip(place, think, strict=True)) if link[0] >= 0}
    scheduler = _scheduler(policy, jobs)
    for start, end, procs, known in getattr(policy, "outages", None) or ():
        scheduler.outages.append(Outage(start, end, Pair(procs, 0) if workload.needs_gpus else procs, known))
    done = schedule(rows, machine, scheduler, follows)
    if getattr(scheduler, "close_call", False):
        reject()
    results = {name: [getattr(job, name) for job in done] for name in ("start", "submit", "backfilled")}
    if type(policy) is policies.Conservative:
        results["guarantee"] = [job.guarantee for job in done]
    elif type(policy) in (policies.EASY, policies.Selective):
        results["shadow"] = [-1 if job.guarantee is None else job.guarantee for job in done]
    if getattr(policy, "adjust", None) is not None:
        results["adjusted"] = [job.adjusted for job in done]
    arrays = {name: np.array(values) for name, values in results.items()}
    return Schedule(workload, policy, overrun, run.to_numpy(), **arrays, feedback=feedback)


def _scheduler(policy, jobs):
    """The scheduler of this module for a policy."""
    priority = _order(getattr(policy, "order", "fcfs"), ORDERS, jobs)
    if type(policy) is policies.FCFS:
        return FCFS(priority)
    if type(policy) is policies.Conservative:
        return Reserving(np.inf, 0, priority) if priority else Conservative(policy.compress)
    if type(policy) is policies.Selective:
        return Reserving(np.inf, None if policy.threshold == "adaptive" else float(policy.threshold), priority)
    if type(policy) is policies.SlurmBackfill:
        return Slurm(policy, priority, dict(enumerate(whose(jobs)["user"].tolist())))
    if policy.reservations != 1:
        return Reserving(policy.reservations, 0, priority)
    options = {"reuse_extra": policy.reuse_extra, "priority": priority}
    if policy.backfill == "lookahead":
        options["lookahead"] = True
    elif policy.backfill is not None:
        options["backfill"] = _order(policy.backfill, BACKFILL, jobs)
    if policy.adjust is None:
        return EASY(**options)
    if isinstance(policy.adjust, policies.Predictions):
        return Predicting(*_predictions(policy.adjust, jobs), **options)
    return AdjustedEASY(*_adjustment(policy.adjust, jobs), **options)


def _order(order, names, jobs):
    """The function that sorts a queue; None for the order of arrival."""
    if order == "fcfs":
        return None
    if isinstance(order, str) and order in ("sjf", "wfp"):
        return {"sjf": sjf, "wfp": wfp}[order]
    function = names[order] if isinstance(order, str) else getattr(order, "function", order)

    def of_floats(**told):
        with np.errstate(all="ignore"):  # as where it is compiled: a division by zero is infinite
            return function(**{name: np.float64(value) for name, value in told.items()})

    asked = asked_for(order, names)
    about = jobs.reindex(columns=["user", "group", "queue"], fill_value=-1)
    account, half_life = "user", 7.0 * 86400
    if isinstance(order, policies.Multifactor):
        account, half_life = order.account, order.half_life_s
    rows = about.assign(account=about[account]).to_dict("records")
    return Asking(of_floats, asked, rows, half_life)


def _predictions(adjust, jobs):
    """The arguments of `Predicting` for a `simlib.Predictions`."""
    learns = adjust.predictor in ("last two", "same estimate")
    past = jobs[:0] if adjust.past is None else adjust.past.sort_values("submit", kind="stable")
    users = [user if learns and user != -1 else None for user in jobs.get("user", [-1] * len(jobs))]
    asked = past.reindex(columns=["estimate"]).estimate.clip(lower=1)
    known = list(zip(past.user, past.run, asked, strict=True)) if learns and len(past) else []
    switches = adjust.queue, adjust.backfill, adjust.running
    kinds = adjust.predictor == "exact", adjust.predictor == "same estimate"
    return users, known, jobs.estimate.clip(lower=1).tolist(), switches, adjust.correct, *kinds


def _adjustment(adjust, jobs):
    """The arguments of `AdjustedEASY` for a `simlib.policies.adjusting.Adjustment`."""
    scheme = adjust.scheme
    past = adjust.past if adjust.past is not None else jobs[:0].assign(end=0)
    used = [min(1, run / estimate) if estimate else 1 for run, estimate in zip(past.run, past.estimate, strict=True)]
    earlier = list(zip(_keys(past, scheme), used, past.end, strict=True))
    switches = adjust.queue, adjust.backfill, adjust.running
    limits = scheme.window_s, scheme.percentile, scheme.threshold or 0, scheme.least
    return _keys(jobs, scheme), earlier, *limits, switches, adjust.overdue


def _keys(jobs, scheme):
    """The key of each job, None if a part of it is not known."""
    parts = zip(*(jobs[column] for column in scheme.columns), strict=True)
    return [None if -1 in key else key for key in parts]


class Pair:
    """Processors and GPUs, where jobs need both; `<=` means no more of either."""

    def __init__(self, procs, gpus):
        self.procs, self.gpus = procs, gpus

    def __add__(self, other):
        other = other or Pair(0, 0)  # a sum begins at 0, and that of nothing is 0
        return Pair(self.procs + other.procs, self.gpus + other.gpus)

    __radd__ = __add__

    def __sub__(self, other):
        other = other or Pair(0, 0)
        return Pair(self.procs - other.procs, self.gpus - other.gpus)

    def __le__(self, other):
        return self.procs <= other.procs and self.gpus <= other.gpus

    def __ge__(self, other):
        return (other or Pair(0, 0)) <= self

    def __gt__(self, other):
        return not self <= other


def processors(size):
    """Give the processors of a size, which is a number of them or a `Pair`."""
    return getattr(size, "procs", size)


Outage = namedtuple("Outage", "start end size known")  # what is away, when, and from when on this is known


class Job:
    """Hold the facts of a job at an instant; a fact that is not known yet is None."""

    def __init__(self, number, submit, run, estimate, size):
        self.number, self.run, self.estimate, self.size = number, run, estimate, size
        self.in_queue = self.to_backfill = self.while_running = estimate  # EASY: which may be adjusted
        self.adjusted = estimate
        self.submit = submit  # None before the job that it follows has ended
        self.arrival = None  # how many joined the queue before it
        self.start = None  # when it starts to run
        self.reserved = None  # when it is to start, of a job that keeps a reservation
        self.guarantee = None  # the first start that it was promised
        self.backfilled = False

    def go_by_adjusted(self, in_queue, to_backfill, while_running):
        """Use the adjusted estimate where the switches say so."""
        self.in_queue = self.adjusted if in_queue else self.estimate
        self.to_backfill = self.adjusted if to_backfill else self.estimate
        self.while_running = self.adjusted if while_running else self.estimate

    def end(self):
        """Compute the end of a job that has started."""
        return self.start + self.run

    def expected_end(self):
        """Compute the expected end of a job that has started."""
        return self.start + self.estimate


def schedule(rows, machine, scheduler, follows):
    """Schedule jobs given as (submit, run, estimate, size), in order of submission; returns them as Jobs.

    `follows[number] = preceding number, think`: the job is submitted a think time after the end of the preceding one.
    """
    jobs = [Job(number, *row) for number, row in enumerate(rows)]
    for number in follows:
        jobs[number].submit = None  # until the preceding job has ended
    gone = set()
    queue = []
    arrived, before = 0, -1
    while any(job.start is None for job in jobs):
        running = [job for job in jobs if job.start is not None and job not in gone]
        seconds = [second for start, end, _, known in scheduler.outages for second in (start, end, known)]
        now = min(
            [*next_instants(jobs, queue, gone), *scheduler.alarms(running), *(one for one in seconds if one > before)]
        )
        scheduler.seen = [outage for outage in scheduler.outages if outage.known <= now]
        scheduler.to_plan_anew = any(outage.known > before for outage in scheduler.seen)
        scheduler.changed |= any(before < second <= now for second in seconds)
        before = now
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


def next_instants(jobs, queue, gone):
    """List the times at which a job ends, arrives or has a reservation; now is one again after a job of length zero."""
    times = [job.end() for job in jobs if job.start is not None and job not in gone]
    times += [job.submit for job in jobs if job.arrival is None and job.submit is not None]
    times += [job.reserved for job in queue if job.reserved is not None]
    return times


class FCFS:
    """Start jobs in the order of the queue, by `priority`; the other schedulers differ in one of these methods."""

    def __init__(self, priority=None):
        self.priority = priority
        self.gone = []
        self.outages, self.seen = [], []  # all, and those that are known; the other two are for who plans
        self.to_plan_anew = self.changed = False

    def alarms(self, running):
        """List seconds at which a pass is needed, in addition to ends and arrivals."""
        return []

    def jobs_left(self, left, running, queue, machine, now):
        """Take note that jobs have ended."""
        self.gone += left

    def job_joins(self, job, running, queue, machine, now):
        """Take note that a job joins the queue."""

    def scheduling_pass(self, running, queue, machine, now):
        """List the jobs that start: from the head while they fit."""
        free = machine - sum(job.size for job in running)
        starting = []
        for job in self.in_order(queue, running, machine, now):
            if job.size > free:
                break
            free -= job.size
            starting.append(job)
        return starting

    def free(self, running, machine, now):
        """Compute what is free; less than nothing where jobs run on what is away."""
        down = sum(outage.size for outage in self.outages if outage.start <= now < outage.end)
        return machine - sum(job.size for job in running) - down

    def in_order(self, queue, running, machine, now):
        """Sort the queue by priority, ties by arrival."""
        if (priority := self.priority) is None:
            return list(queue)
        free = self.free(running, machine, now)
        seen = {"now": now, "machine": machine, "free": free, "extra": 0, "window": 0}

        def place(job):
            return -self.rank(priority, job, job.in_queue, running, seen), job.arrival

        return sorted(queue, key=place)

    def rank(self, priority, job, estimate, running, seen):
        """Call an order for the rank of a job; `seen` is the state of the system."""
        wait = seen["now"] - job.submit
        if not isinstance(priority, Asking):
            return priority(wait, estimate, processors(job.size))
        seen = {name: processors(value) for name, value in seen.items()}
        return priority.of(job, estimate, [*self.gone, *running], seen)


class Asking:
    """An order that reads facts of a job by name.

    `names` are the facts that `function` reads: see `simlib.policies.orders`. `about` has, by job number, user, group,
    queue and `account`, whose usage counts; half of the usage is forgotten in `half_life` seconds.
    """

    def __init__(self, function, names, about, half_life):
        self.function, self.names, self.about, self.half_life = function, names, about, half_life

    def of(self, job, estimate, started, seen):
        """Rank a job; `started` are all jobs that run or have run."""
        now = seen["now"]
        usage = self.usage(job, started, now) if {"usage", "fair_share"}.intersection(self.names) else 0.0
        its = {"submit": job.submit, "wait": now - job.submit, "estimate": estimate, "procs": processors(job.size)}
        told = self.about[job.number] | seen | its | {"usage": usage, "fair_share": 0.5**usage}
        return self.function(**{name: told[name] for name in self.names})

    def usage(self, job, started, now):
        """Compute the usage of the job's account, in multiples of an equal share of all, to nine digits."""

        def had(one):
            ages = now - one.start, now - min(one.end(), now)
            old, new = (2 ** (-age / self.half_life) for age in ages)
            return processors(one.size) * self.half_life / np.log(2) * (new - old)

        mine = self.about[job.number]["account"]
        everything = sum(had(one) for one in started)
        accounts = len({one["account"] for one in self.about})
        own = sum(had(one) for one in started if self.about[one.number]["account"] == mine)
        return round(own / everything * accounts, 9) if everything > 0 else 0.0


class EASY(FCFS):
    """Backfill by section 2.2: `priority` orders the queue, `backfill` those behind the head, both as for FCFS.

    With `lookahead` the set that takes the most free processors passes the head; all sets are tried.
    """

    DEPTH = 50  # jobs behind the head that lookahead looks at

    def __init__(self, reuse_extra=False, priority=None, backfill=None, lookahead=False):
        super().__init__(priority)
        self.reuse_extra, self.backfill, self.lookahead = reuse_extra, backfill, lookahead

    def scheduling_pass(self, running, queue, machine, now):
        """List the jobs that start: from the head while they fit, then the backfilled ones."""
        starting = super().scheduling_pass(running, queue, machine, now)
        waiting = [job for job in self.in_order(queue, running, machine, now) if job not in starting]
        if not waiting:
            return starting
        head, others = waiting[0], waiting[1:]

        # until when processors are held, as far as the scheduler knows
        held = [(self.expected_end(job, now), job.size) for job in running]
        held += [(now + job.while_running, job.size) for job in starting]
        shadow = self.shadow(head, held, machine)
        if head.guarantee is None:
            ends = [(job.start + job.while_running, job.size) for job in running] + held[len(running) :]
            head.guarantee = self.promise(head, ends, machine, shadow)
        seen = {"now": now, "machine": machine, "window": shadow - now}
        seen["extra"] = self.extra(head, held, machine, shadow)
        seen["free"] = machine - sum(size for _, size in held)
        passing = self.best_set(others, seen) if self.lookahead else self.one_by_one(others, running, seen)
        for job in passing:
            job.backfilled = True
        return starting + passing

    def one_by_one(self, others, running, seen):
        """List the jobs that pass the head: repeatedly the first, or best, of those that would not delay it."""
        passing = []
        while fitting := [job for job in others if job not in passing and self.may_pass(job, seen)]:
            job = fitting[0]
            if order := self.backfill:
                ranks = {one: self.rank(order, one, one.to_backfill, running, seen) for one in fitting}
                job = min(fitting, key=lambda one: (-ranks[one], one.arrival))
            seen["free"] -= job.size
            if job.to_backfill > seen["window"] and not self.reuse_extra:
                seen["extra"] -= job.size
            passing.append(job)
        return passing

    def best_set(self, others, seen):
        """List the best set to pass the head; ties: the set with the first job, then the second, and so on."""
        near = [job for job in others[: self.DEPTH] if self.may_pass(job, seen)]
        best, most = [], 0
        for taken in product((True, False), repeat=len(near)):
            chosen = [job for job, yes in zip(near, taken, strict=True) if yes]
            past = sum(job.size for job in chosen if job.to_backfill > seen["window"])
            total = sum(job.size for job in chosen)
            if total <= seen["free"] and past <= seen["extra"] and processors(total) > most:
                best, most = chosen, processors(total)
        return best

    def may_pass(self, job, seen):
        """Tell whether a job fits, and ends by the shadow time or on the extra processors."""
        return job.size <= seen["free"] and (job.to_backfill <= seen["window"] or job.size <= seen["extra"])

    def expected_end(self, job, now):
        """Give the expected end of a running job."""
        return max(now, job.start + job.while_running)

    def shadow(self, head, held, machine):
        """Find the first expected end by which the head fits."""
        return min(time for time, _ in held if self.head_fits(head, held, machine, time))

    def extra(self, head, held, machine, shadow):
        """Count the processors that the head will leave at its shadow time."""
        return machine - sum(size for end, size in held if end > shadow) - head.size

    def promise(self, head, ends, machine, shadow):
        """Tell when the head is to start; `ends` are the expected ends, some of which may be past."""
        return shadow

    def head_fits(self, head, held, machine, time):
        """Tell whether the head would find enough processors once all jobs expected to end by `time` have ended.

        It does not fit now, and jobs with an expected end of now have not ended: so at least one of them must count as
        gone.
        """
        gone = [size for end, size in held if end <= time]
        return bool(gone) and machine - sum(size for end, size in held if end > time) >= head.size


class Predicting(EASY):
    """Plan with the mean run time of the last two jobs of the same user: EASY++ (Tsafrir et al. 2005, section 3).

    `users` has the user of each job by number, None if unknown; `past` has earlier jobs as (user, run time, estimate),
    in order of their submission; `estimates` has the requested times; `switches` as for `AdjustedEASY`. With `similar`
    there must be two last jobs, and all three estimates must be equal (sections 5.1 and 6).
    """

    MORE = [60 * more for more in (1, 5, 15, 30)] + [3600 * more for more in (1, 2, 5, 10, 20, 50, 100)]

    def __init__(self, users, past, estimates, switches, correct=True, exact=False, similar=False, **options):
        super().__init__(**options)
        self.users, self.past, self.estimates, self.switches = users, past, estimates, switches
        self.correct, self.exact, self.similar = correct, exact, similar

    def job_joins(self, job, running, queue, machine, now):
        """Predict the run time of a job that joins the queue."""
        estimate, user = self.estimates[job.number], self.users[job.number]
        mine = sorted((one.arrival, one.run, one.number) for one in self.gone if self.users[one.number] == user)
        known = [(run, asked) for of, run, asked in self.past if of == user]
        last_two = (known + [(run, self.estimates[number]) for _, run, number in mine])[-2:]
        runs = [run for run, _ in last_two]
        if self.similar and [asked for _, asked in last_two] != [estimate, estimate]:
            runs = []
        job.adjusted = estimate
        if self.exact:
            job.adjusted = job.run
        elif user is not None and runs:
            job.adjusted = min(estimate, max(1, sum(runs) // len(runs)))
        job.go_by_adjusted(*self.switches)

    def promise(self, head, ends, machine, shadow):
        """Tell when the head is to start: where nothing is corrected, as predicted, though that may be past."""
        return shadow if self.correct else self.shadow(head, ends, machine)

    def alarms(self, running):
        """List the seconds at which jobs outlive their predictions, if nothing ends before."""
        return [job.start + job.while_running for job in running] if self.correct else []

    def jobs_left(self, left, running, queue, machine, now):
        """Take note that jobs have ended, and that others have outlived their predictions."""
        super().jobs_left(left, running, queue, machine, now)
        for job in running:
            if self.correct and job.start + job.while_running <= now:
                estimate = self.estimates[job.number]
                longer = [estimate + sum(self.MORE[:steps]) for steps in range(len(self.MORE) + 1)]
                after_all = job.while_running + self.MORE[-1]
                job.while_running = next((one for one in longer if one > job.while_running), after_all)


class AdjustedEASY(EASY):
    """Plan with estimates times A, from jobs of the same key that ended before (sections 4 and 5 of Tang et al.).

    `keys` has the key of each job by number, None if unknown; `past` has earlier jobs as (key, R, end).
    """

    def __init__(self, keys, past, window, percentile, threshold, least, switches, overdue, **options):
        super().__init__(**options)
        self.keys, self.ended = keys, list(past)
        self.window, self.percentile, self.threshold, self.least = window, percentile, threshold, least
        self.switches, self.overdue = switches, overdue
        self.close_call = False  # whether rounding to whole seconds hung on the last digits: then it proves nothing

    def jobs_left(self, left, running, queue, machine, now):
        """Learn the used share of the estimates of jobs that have ended."""
        super().jobs_left(left, running, queue, machine, now)
        for job in left:
            used = min(1, job.run / job.estimate) if job.estimate else 1
            self.ended.append((self.keys[job.number], used, job.end()))

    def job_joins(self, job, running, queue, machine, now):
        """Adjust the estimate of a job that joins the queue."""
        mine = self.keys[job.number]
        eligible = [r for key, r, end in self.ended if mine and key == mine and now - self.window <= end < now]
        job.adjusted = job.estimate
        if len(eligible) >= self.least:
            exact = job.estimate * max(np.percentile(eligible, self.percentile), self.threshold)
            job.adjusted = round(exact)
            self.close_call |= 0 < abs(exact % 1 - 0.5) < 1e-6
        job.go_by_adjusted(*self.switches)

    def expected_end(self, job, now):
        """Give the expected end of a running job; later than now if it runs longer than expected."""
        end = job.start + job.while_running
        return end if end > now else now + self.overdue


class Conservative(FCFS):
    """Reserve by section 2.1; `order` of compression: "arrival", "start", or "none"; or "rebackfill" instead."""

    def __init__(self, order):
        super().__init__()
        self.order = order

    def jobs_left(self, left, running, queue, machine, now):
        """Compress the schedule where a job ended early; plan anew where an outage becomes known."""
        early = self.order != "none" and any(job.expected_end() > now for job in left)
        if not early and not self.to_plan_anew:
            return
        if self.order == "rebackfill" or self.to_plan_anew:
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
        """Reserve a start time for a job that joins the queue."""
        job.reserved = job.guarantee = self.anchor(job, running, queue, machine, now)

    def scheduling_pass(self, running, queue, machine, now):
        """List the jobs that start: those whose reservation is now."""
        starting = [job for job in queue if job.reserved == now]
        waiting = [job for job in queue if job.reserved > now]
        for job in starting:
            job.backfilled = any(other.arrival < job.arrival for other in waiting)
        return starting

    def anchor(self, job, running, reserved, machine, now):
        """Find the earliest time at which a job fits until its expected end, beside the running and reserved ones."""
        blocks = [(other.start, other.expected_end(), other.size) for other in running]
        blocks += [(other.reserved, other.reserved + other.estimate, other.size) for other in reserved]
        blocks += [(outage.start, outage.end, outage.size) for outage in self.seen]

        def free_at(time):
            return machine - sum(size for start, end, size in blocks if start <= time < end)

        for anchor in sorted({now} | {end for _, end, _ in blocks if end > now}):
            changes = [start for start, _, _ in blocks if anchor < start < anchor + job.estimate]
            if all(free_at(time) >= job.size for time in [anchor, *changes]):
                return anchor
        raise AssertionError("a job no larger than the machine fits after all others")


class Reserving(Conservative):
    """Reserve for the first `most` jobs of the queue whose expected slowdown reaches `threshold`; backfill others.

    The threshold None is the mean slowdown of the jobs that have ended.
    """

    def __init__(self, most, threshold=0, priority=None):
        super().__init__("arrival")
        self.most, self.threshold, self.priority = most, threshold, priority
        self.to_compress = False

    def jobs_left(self, left, running, queue, machine, now):
        """Take note of jobs that ended early."""
        self.gone += left
        self.to_compress = any(job.expected_end() > now for job in left)

    def job_joins(self, job, running, queue, machine, now):
        """Make no reservation before the pass."""

    def scheduling_pass(self, running, queue, machine, now):
        """List the jobs that start, and reserve for jobs that are entitled to it."""
        queue = self.in_order(queue, running, machine, now)
        for place, job in enumerate(queue):
            if self.priority is not None and place >= self.most and job.reserved is not None:
                job.reserved, self.to_compress = None, True

        def beside(job):
            others = [other for other in queue if other is not job and other.reserved is not None]
            return self.anchor(job, running, others, machine, now)

        held = [job for job in queue if job.reserved is not None]
        if self.to_plan_anew:
            for job in held:
                job.reserved = None
            for job in held:
                job.reserved = beside(job)
        for job in queue if self.to_compress and not self.to_plan_anew else []:
            if job.reserved is not None:
                job.reserved = min(job.reserved, beside(job))
        waiting = []
        for job in queue:
            if job.reserved is None:
                entitled = len(waiting) < self.most and slowdown(now - job.submit, job.estimate) >= self.needed()
                anchor = beside(job)
                if entitled or anchor == now:
                    job.reserved = anchor
                if entitled and job.guarantee is None:
                    job.guarantee = anchor
            if job.reserved == now:
                job.backfilled = bool(waiting)
            else:
                waiting.append(job)
        return [job for job in queue if job not in waiting]

    def needed(self):
        """Give the expected slowdown from which on a job gets a reservation."""
        if self.threshold is not None:
            return self.threshold
        slow = [slowdown(job.start - job.submit, job.run) for job in self.gone]
        return round(sum(slow) / len(slow), 9) if slow else 1


class Slurm(FCFS):
    """Start jobs as under FCFS, and plan waiting jobs in cycles, as `simlib.SlurmBackfill` defines it."""

    def __init__(self, policy, priority, user):
        super().__init__(priority)
        self.policy, self.user = policy, user
        self.depth, self.window = policy.depth, policy.window
        self.resolution, self.interval = policy.resolution, policy.interval
        self.last_cycle = -np.inf
        self.due = []

    def alarms(self, running):
        """List the second of the next cycle, if it is known."""
        return self.due

    def jobs_left(self, left, running, queue, machine, now):
        """Take note that jobs have ended."""
        super().jobs_left(left, running, queue, machine, now)
        self.changed = self.changed or bool(left)

    def job_joins(self, job, running, queue, machine, now):
        """Take note that a job joins the queue."""
        self.changed = True

    def scheduling_pass(self, running, queue, machine, now):
        """List the jobs that start: in order while they fit or are held back, then the jobs that a cycle starts."""
        free, starting, passed = self.free(running, machine, now), [], False
        for job in self.in_order(queue, running, machine, now):
            if self.over_limit(job, running + starting):
                passed = True
                continue
            if job.size > free:
                break
            if self.runs_into_outage(job, self.held(running + starting, now), now, machine):
                passed = True
                continue
            job.backfilled = passed
            free -= job.size
            starting.append(job)
        waiting = [job for job in self.in_order(queue, running, machine, now) if job not in starting]
        if waiting and self.changed and now >= self.last_cycle + self.interval:
            self.last_cycle = now
            passing = self.cycle(waiting, running + starting, machine, now)
            self.changed = bool(passing)
            starting = starting + passing
        still_waiting = len(starting) < len(queue)
        self.due = [int(self.last_cycle) + self.interval] if still_waiting and self.changed else []
        return starting

    def over_limit(self, job, present):
        """Tell whether the jobs that a user has leave no room for another one."""
        own = [processors(one.size) for one in present if self.user[one.number] == self.user[job.number]]
        too_large = sum(own) + processors(job.size) > self.policy.user_procs
        return too_large or len(own) + 1 > self.policy.user_jobs

    def cycle(self, waiting, running, machine, now):
        """Plan jobs one after another; list the jobs that can start now."""
        held = self.held(running, now)
        starting, looked_at, planned = [], [], []
        for job in waiting:
            users = [self.user[one.number] for one in looked_at]
            if len(looked_at) >= self.depth:
                break
            if self.over_limit(job, running + starting) or users.count(self.user[job.number]) >= self.policy.per_user:
                continue
            looked_at.append(job)
            start = self.earliest(job, held, now, machine)
            if start == now:
                job.backfilled = len(starting) < waiting.index(job)
                starting.append(job)
                held.append((now, now + max(job.estimate, 1), job.size))
            elif len(planned) >= self.policy.reservations:
                continue
            elif start // self.resolution < (now + self.window) // self.resolution:
                planned.append(job)
                held.append((start, self.end_of_slot(job, start), job.size))
        return starting

    def held(self, present, now):
        """List what jobs that run or start now hold, and what outages take, as begin, end and size."""
        held = [(now, max(job.start + job.estimate, now + 1), job.size) for job in present if job.start is not None]
        held += [(now, now + max(job.estimate, 1), job.size) for job in present if job.start is None]
        return held + [(outage.start, outage.end, outage.size) for outage in self.seen if outage.end > now]

    def runs_into_outage(self, job, held, now, machine):
        """Tell whether an outage begins before a job ends, and then leaves too little for it."""
        begins = [outage.start for outage in self.seen if now < outage.start < now + job.estimate]
        left = [machine - sum(size for begin, end, size in held if begin <= at < end) for at in begins]
        return any(not job.size <= free for free in left)

    def earliest(self, job, held, now, machine):
        """Find the earliest second at which a job fits until its end, rounded up, that second included."""

        def free_at(time):
            return machine - sum(size for begin, end, size in held if begin <= time < end)

        for start in sorted({now} | {end for _, end, _ in held}):
            begins = [begin for begin, _, _ in held if start < begin < self.end_of_slot(job, start + 1)]
            if all(free_at(time) >= job.size for time in [start, *begins]):
                return start
        raise AssertionError("a job no larger than the machine fits after all others")

    def end_of_slot(self, job, start):
        """Compute the expected end of a job that starts then, rounded up to the resolution."""
        return -(-(start + max(job.estimate, 1)) // self.resolution) * self.resolution


def slowdown(wait, duration):
    """Divide wait and duration by the duration: bounded slowdown, to nine digits."""
    return round(max(1, (wait + duration) / max(duration, 10)), 9)


def sjf(wait, estimate, size):
    """Put the shortest estimate first."""
    return -estimate


def wfp(wait, estimate, size):
    """Put jobs first that waited long for their estimate, and large jobs (Tang et al. 2013, equation 5)."""
    ratio = wait / max(estimate, 1)
    return ratio * ratio * ratio * size
