"""Planning with other estimates: predicted (EASY++), predicted by one's own predictor, or adjusted (Tang)."""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

from .decisions import Decision, Note, Start
from .loop import Policy
from .machine import Job, Machine, Queue

Uses = tuple[bool, bool, bool]
"""Whether an estimate is used in the order of the queue, for backfilling, and while a job runs."""

MORE = [60 * minutes for minutes in (1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000)]
"""Seconds by which a prediction grows, one step after another (Tsafrir et al. 2005, section 3.4)."""


class Predictions:
    """Plan with predicted run times, and correct what is outlived: EASY++ (Tsafrir et al. 2005, section 3)."""

    def __init__(
        self,
        policy: Policy,
        predictor: str = "last two",
        uses: Uses = (True, True, True),
        corrects: bool = True,
        past: Iterable[tuple[int, int, int]] = (),
    ) -> None:
        self.policy, self.predictor, self.uses, self.corrects = policy, predictor, uses, corrects
        self.last_two: dict[int, list[tuple[int, int, int]]] = defaultdict(list)  # by user: arrival, run time, request
        past = list(past)
        for number, (user, run, requested) in enumerate(past, -len(past)):
            self.learn(user, number, run, requested)

    def learn(self, user: int, number: int, run: int, requested: int) -> None:
        """Remember a job that has ended, if it is one of the last two that its user submitted."""
        self.last_two[user] = sorted([*self.last_two[user], (number, run, max(requested, 1))])[-2:]

    def restore(self, past: Sequence[Job], present: Sequence[Job] = ()) -> None:
        """Remember the jobs that have ended, and what was predicted for those that wait or run."""
        for job in past:
            self.learn(job.user, job.arrival, job.run, job.requested)
        for job in present:
            job.expect(job.adjusted, *self.uses)

    def __call__(self, queue: Queue, machine: Machine) -> Iterator[Decision | Job]:
        self.restore(machine.ended)
        for job in machine.arrived:
            seconds, runs, known = self.predicted(job)
            job.expect(seconds, *self.uses)
            if machine.heard and self.learns:
                rule = "predicts" if runs else "does not predict"
                yield Note(rule, [job], {"runs": runs, "known": known})
        if self.corrects:
            for job in machine.running:
                if job.expected_end <= machine.now:
                    was = job.expected_end
                    machine.expect(job, job.start + self.longer(job, machine.now - job.start))
                    if machine.heard:
                        yield Note("corrects", [job], {"was": was})
        yield from self.policy(queue, machine)

    @property
    def learns(self) -> bool:
        """Whether it predicts from earlier jobs."""
        return self.predictor in ("last two", "same estimate")

    def predicted(self, job: Job) -> tuple[int, list[int], int]:
        """3.2: the mean run time of the last two jobs, if the user requested more; with it their run times."""
        requested = max(job.requested, 1)
        if self.predictor == "exact":
            return job._run, [], 0
        last_two = self.last_two[job.user] if job.user != -1 and self.learns else []
        alike = [asked for *_, asked in last_two] == [requested] * 2
        runs = [run for _, run, _ in last_two] if alike or self.predictor == "last two" else []
        mean = max(sum(runs) // len(runs), 1) if runs else requested
        return min(mean, requested), runs, len(last_two)

    def longer(self, job: Job, age: int) -> int:
        """3.4: what is outlived becomes the user's estimate, and then one more step after another."""
        seconds, more = max(job.requested, 1), iter(MORE)
        while seconds <= age:
            seconds += next(more, MORE[-1])
        return seconds


class Predicting:
    """Plan with the predictions of a predictor of one's own: see `simlib.Predictor` (Tsafrir et al. 2005, section 3.7).

    `ask(event, job, there, machine)` calls the predictor, and gives its predictions in seconds by the numbers of jobs
    that are `there`: that wait or run. By place of a job, `first` has its first prediction, and `mean` the mean of its
    predictions over its time in the system.
    """

    def __init__(self, policy: Policy, ask: Callable[[str, Job, dict[Any, Job], Machine], Mapping[Any, int]]) -> None:
        self.policy, self.ask = policy, ask
        self.there: dict[Any, Job] = {}  # by number, those that wait or run
        self.overdue: set[Job] = set()  # those that run, and whose predictor knows that they outlive its predictions
        self.since: dict[Job, int] = {}  # the second from which on the present prediction holds
        self.sum: dict[Job, int] = defaultdict(int)  # of earlier ones, each times the seconds that it held
        self.first: dict[int, int] = {}  # by place
        self.mean: dict[int, float] = {}

    def tell(self, event: str, job: Job, machine: Machine) -> None:
        """Tell the predictor of an event, and adopt its predictions."""
        for number, seconds in self.ask(event, job, self.there, machine).items():
            other = self.there[number]
            self.note(other, machine.now)
            other.expect(seconds)
            if other.start is not None:
                machine.expect(other, other.start + seconds)
                self.see(other, machine.now)

    def see(self, job: Job, now: int) -> None:
        """See whether a running job is expected to end at all."""
        (self.overdue.add if job.expected_end <= now else self.overdue.discard)(job)

    def note(self, job: Job, now: int) -> None:
        """Note for how long the prediction of a job has held."""
        self.sum[job] += job.estimate * (now - self.since.get(job, now))
        self.since[job] = now

    def __call__(self, queue: Queue, machine: Machine) -> Iterator[Decision | Job]:
        now = machine.now
        for job in machine.ended:
            del self.there[job.number]
            self.note(job, now)
            in_system = now - job.submit
            self.mean[job._place] = self.sum.pop(job) / in_system if in_system else float(job.estimate)
            self.overdue.discard(job)
            self.tell("finish", job, machine)
        for job in machine.running:
            if job.expected_end <= now and job not in self.overdue:
                self.overdue.add(job)
                self.tell("deadline_missed", job, machine)
        for job in machine.arrived:
            self.there[job.number] = job
            job.expect(job.requested)
            self.note(job, now)
            self.tell("arrival", job, machine)
            self.first[job._place] = job.estimate
        for decision in self.policy(queue, machine):
            yield decision
            if isinstance(decision, Job | Start):
                job = decision.job if isinstance(decision, Start) else decision
                self.see(job, now)
                self.tell("start", job, machine)


class Adjusted:
    """Plan with estimates times A, which earlier jobs of the same key tell (Tang et al. 2013, sections 4 and 5)."""

    def __init__(
        self,
        policy: Policy,
        key: Callable[[Job], Hashable],
        window: float = inf,
        percentile: float = 85.0,
        threshold: float | None = 0.0,
        least: int = 10,
        uses: Uses = (True, True, True),
        overdue: int = 300,
        past: Iterable[tuple[Hashable, int, int, int]] = (),
    ) -> None:
        self.policy, self.key, self.window, self.percentile = policy, key, window, percentile
        self.threshold, self.least, self.uses, self.overdue = threshold or 0.0, least, uses, overdue
        self.ended: dict[Hashable, list[tuple[int, float]]] = defaultdict(list)  # by key: ends and R, in order
        for whose, end, run, requested in past:
            self.learn(whose, end, run, requested)

    def learn(self, key: Hashable, end: int, run: int, requested: int) -> None:
        """Remember R, the used share of the estimate (equation 1)."""
        if key is not None:
            insort(self.ended[key], (end, run / requested if run < requested else 1.0))

    def restore(self, past: Sequence[Job], present: Sequence[Job] = ()) -> None:
        """Remember the jobs that have ended, and the adjusted estimates of the others."""
        for job in past:
            self.learn(self.key(job), job.end, job.run, job.requested)
        for job in present:
            job.expect(job.adjusted, *self.uses)

    def __call__(self, queue: Queue, machine: Machine) -> Iterator[Decision | Job]:
        now = machine.now
        self.restore(machine.ended)
        for job in machine.arrived:  # t_sched = t_req x A (equation 2)
            ended = [] if (key := self.key(job)) is None else self.ended[key]
            ended = ended[bisect_left(ended, (now - self.window,)) : bisect_left(ended, (now,))]
            if len(ended) >= self.least:
                a = max(percentile(sorted(r for _, r in ended), self.percentile), self.threshold)
                job.expect(round(job.given * a), *self.uses)
                if machine.heard:
                    yield Note("adjusts", [job], {"a": a, "jobs": len(ended)})
        for job in machine.running:
            if job.start + job.while_running <= now:
                machine.expect(job, now + self.overdue)
        yield from self.policy(queue, machine)


def percentile(values: Sequence[float], percent: float) -> float:
    """A percentile of sorted values, by linear interpolation."""
    place = (len(values) - 1) * percent / 100
    below = int(place)
    lower, upper = values[below], values[min(below + 1, len(values) - 1)]
    return lower + (place - below) * (upper - lower)
