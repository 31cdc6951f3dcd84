"""Decide step by step from outside, as a program that learns does: an environment as gymnasium defines it."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._util import checks
from .._util.arrays import Ints
from ..core.schedule import Schedule, simulate
from ..core.workload import Workload
from ..plain.decisions import Decision
from ..plain.easy import one_by_one
from ..plain.loop import asking
from ..plain.machine import Job, Machine, Queue
from . import in_plain
from .orders import ORDERS


class Environment:
    """Choose the head of the queue, again and again: the methods `reset` and `step` of gymnasium's environments.

    At each instant at which jobs wait, a step names one of them by its place in the queue. If it fits, it starts, and
    the next step is about those that still wait. If not, it is the head for this instant: the jobs behind it are
    backfilled, and the next step is about the next instant. So a policy that always names the first is EASY, or FCFS
    without backfilling.

    Parameters
    ----------
    workload : Workload or callable
        What an episode schedules. A callable makes it of a `numpy.random.Generator`, such as a piece of a log that
        begins anywhere; `reset(seed=...)` begins a new generator.
    observe : callable
        Makes an observation of the environment, see below.
    reward : callable
        Makes a number of the environment, after each step.
    backfill : callable, optional
        Yields who passes the head: a function of the other jobs, in order of arrival, the machine, the shadow time and
        the extra processors. By default EASY's rule. None: nobody does.

    Attributes
    ----------
    queue : Queue
        The jobs that wait, in order of arrival: see `simlib.plain.Queue`. It is empty at the end.
    machine : Machine
        See `simlib.plain.Machine`.
    ended : list of Job
        Those that have ended since the step before; their `run` is known.
    seconds : int
        The time since the step before.
    schedule : Schedule or None
        The finished one, at the end of an episode.

    Raises
    ------
    ValueError
        For a setting of another kind; from `step`, for a number that is no place in the queue, and after the end; from
        `reset`, for a workload without jobs, or whose jobs need GPUs.

    References
    ----------
    D. Zhang, D. Dai, Y. He, F. S. Bao and B. Xie, "RLScheduler: an automated HPC batch job scheduler using
    reinforcement learning", SC 2020, has such steps.

    Examples
    --------
    The observation is the waits, in seconds, and estimates of at most three jobs; the reward is minus the bounded
    slowdown of each job that has ended. The shortest first:

    >>> import simlib
    >>> from simlib.policies.steps import Environment
    >>> def waits(env):
    ...     return [(env.machine.now - job.submit, job.estimate) for job in env.queue[:3]]
    >>> def slowdown(env):
    ...     return -sum(max(1, (job.end - job.submit) / max(job.run, 10)) for job in env.ended)
    >>> jobs = {"A": (0, 20, 20, 4), "B": (1, 40, 40, 4), "C": (2, 20, 20, 4)}
    >>> env = Environment(simlib.Workload.of("three jobs", 4, **jobs), waits, slowdown)
    >>> env.reset()
    ([(0, 20)], {})
    >>> env.step(0)  # A starts, and the first instant at which jobs wait is that of B's arrival
    ([(0, 40)], 0, False, False, {})
    >>> env.step(0)  # B does not fit
    ([(1, 40), (0, 20)], 0, False, False, {})
    >>> env.step(0)
    ([(19, 40), (18, 20)], -1, False, False, {})
    >>> env.step(env.place("sjf"))  # C starts
    ([(19, 40)], 0, False, False, {})
    >>> env.step(0)
    ([(39, 40)], -1.9, False, False, {})
    >>> env.step(0)
    ([], -1.975, True, False, {})
    >>> env.schedule.jobs.start.to_list()
    [0, 40, 20]
    """

    def __init__(
        self,
        workload: Workload | Callable[[np.random.Generator], Workload],
        observe: Callable[["Environment"], Any],
        reward: Callable[["Environment"], float],
        *,
        backfill: Callable[..., Iterator[Decision | Job]] | None = one_by_one,
    ) -> None:
        function = checks.Kind(lambda value: callable(value) and not isinstance(value, type), "a function")
        made = checks.either(checks.instance(Workload, "a Workload"), function)
        kinds = {"observe": function, "reward": function, "backfill": checks.or_none(function)}
        self.workload, self.observe, self.reward, self.backfill = workload, observe, reward, backfill
        checks.settings(self, workload=made, **kinds)
        self._random = np.random.default_rng()
        self.schedule: Schedule | None = None
        self._loop: Iterator[None] | None = None

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; returns the first observation, and an empty dict."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self._of = self.workload(self._random) if callable(self.workload) else self.workload
        if not len(self._of) or self._of.needs_gpus:
            raise ValueError(f"{self._of.name}: found no jobs, or jobs with GPUs; expected jobs that need processors")
        jobs = self._of.jobs
        submit, run, estimate, procs = (jobs[name].to_numpy() for name in ("submit", "run", "estimate", "procs"))
        self._jobs = in_plain.jobs_of(jobs, submit, run, np.maximum(estimate, run), procs, None)
        self.machine, self.queue, self.schedule = Machine(self._of.procs), Queue(), None
        self.ended: list[Job] = []
        self.seconds = self._before = 0
        self._loop = asking(self._jobs, self.machine, self._pass)
        self._go_on()
        self.ended, self.seconds = [], 0
        return self.observe(self), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Name the head by its place in the queue: see above.

        Returns the observation, the reward, whether the episode has ended, False, and an empty dict.
        """
        if self._loop is None:
            raise ValueError("step: found an episode that has ended or not begun, expected a call of reset before")
        if not 0 <= action < len(self.queue):
            raise ValueError(
                f"step: found action {action!r}, expected a place in the queue, 0 to {len(self.queue) - 1}"
            )
        self._named = self.queue[int(action)]
        self.ended = []
        self._go_on()
        return self.observe(self), self.reward(self), self._loop is None, False, {}

    def place(self, order: str | Callable[..., float] = "fcfs") -> int:
        """Find the job that an order of the queue puts first, such as "sjf" or "f1": the action of a known policy.

        Examples
        --------
        >>> import simlib
        >>> w = simlib.Workload.of("two jobs", 4, A=(0, 9, 9, 4), B=(0, 5, 5, 4))
        >>> env = Environment(w, lambda env: len(env.queue), lambda env: 0.0)
        >>> env.reset()
        (2, {})
        >>> env.place("sjf")
        1
        """
        by = in_plain.order(order, ORDERS)
        ranks = [by.rank(job, self.machine, job.estimate) for job in self.queue]
        return ranks.index(max(ranks))

    def _go_on(self) -> None:
        """Simulate until somebody is asked again, or all jobs have ended."""
        assert self._loop is not None
        if next(self._loop, "all have ended") is not None:
            self._loop = None
            self.schedule = simulate(self._of, _Found(np.array([job.start for job in self._jobs])))
        self.seconds, self._before = self.machine.now - self._before, self.machine.now

    def _pass(self, queue: Queue, machine: Machine) -> Iterator[Any]:
        """Ask for the head, until it does not fit."""
        self.queue = queue
        self.ended += machine.ended
        while queue:
            yield None
            head = self._named
            if machine.fits(head):
                yield head
                continue
            if self.backfill is not None:
                others = [job for job in queue if job is not head]
                yield from self.backfill(others, machine, *machine.shadow(head))
            return


class _Found:
    """The policy of a finished episode: each job starts when it did."""

    def __init__(self, start: Ints) -> None:
        self.start = start

    def __repr__(self) -> str:
        return "the steps of an episode"

    def schedule(self, submit: Ints, run: Ints, estimate: Ints, procs: Ints, machine: int) -> dict[str, Ints]:
        """Give the starts."""
        return {"start": self.start}
