"""What a scheduler sees: the machine, the jobs that run on it, and the queue; and how an instant of it begins."""

from dataclasses import dataclass, field

from . import rules


@dataclass(eq=False)
class Job:
    name: object
    arrival: int  # how many join the queue before it
    submit: int
    run: int
    estimate: int
    procs: int
    start: int | None = None
    backfilled: bool = False
    priority: float | None = None  # EASY with an order: at the last scheduling pass
    shadow: int | None = None  # EASY: its last shadow time, once it has waited at the head
    reserved: int | None = None  # conservative: when it is to start
    guarantee: int | None = None  # and what was reserved on its arrival

    @property
    def end(self):
        return self.start + self.run

    @property
    def expected_end(self):
        return self.start + self.estimate


@dataclass(eq=False)
class System:
    """Everything at an instant, `now`; changed in place.

    `to_come` are the jobs that have not arrived yet, in order of arrival; `ended` and `arrived` those of this instant.
    """

    procs: int
    to_come: list
    now: int = 0
    free: int = 0
    queue: list = field(default_factory=list)
    running: list = field(default_factory=list)
    done: list = field(default_factory=list)
    ended: list = field(default_factory=list)
    arrived: list = field(default_factory=list)
    shadow: int | None = None  # EASY, at this instant
    extra: int | None = None
    profile: list | None = None  # conservative: [time, processors free from then on], ...

    def next_instant(self):
        """When the next job ends, arrives or has a reservation."""
        times = [job.end for job in self.running] + [job.submit for job in self.to_come[:1]]
        return min(times + [job.reserved for job in self.queue if job.reserved is not None])

    def leave(self):
        """Jobs that have ended by now leave, and free their processors."""
        self.ended = [job for job in self.running if job.end <= self.now]
        self.running = [job for job in self.running if job.end > self.now]
        self.done += self.ended
        self.free += sum(self._held(job) for job in self.ended)
        return self.ended

    def arrive(self):
        """The jobs that are submitted now."""
        count = 0
        while count < len(self.to_come) and self.to_come[count].submit <= self.now:
            count += 1
        self.arrived, self.to_come = self.to_come[:count], self.to_come[count:]
        return self.arrived

    def start(self, job, backfilled=False):
        job.start, job.backfilled, job.reserved = self.now, backfilled, None
        self.queue.remove(job)
        self.running.append(job)
        self.free -= self._held(job)

    def _held(self, job):
        """Under conservative backfilling a job of no length takes no room, so that any number start at once."""
        return job.procs if self.profile is None or job.estimate > 0 else 0


def decisions(system, policy):
    """Schedule all jobs to come: instant by instant, each as the policy says.

    Yields
    ------
    (rule, job, ...)
        A rule of `simlib.explain.rules`, the job that it decides on, or None, and what else its sentence needs. The
        system is then as the decision left it.
    """
    system.free = system.procs
    while system.to_come or system.queue or system.running:
        system.now = system.next_instant()
        system.shadow = system.extra = None
        yield from policy(system)


def leave_and_join(system):
    """The beginning of an instant under FCFS and EASY: jobs leave, jobs join the queue."""
    system.leave()
    system.queue += system.arrive()
    yield rules.jobs_end_or_arrive, None, system.ended, system.arrived, system.now, system.free, system.queue
