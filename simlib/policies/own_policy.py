"""A policy of one function that you write, and a predictor: see `simlib.OwnPolicy` and `simlib.Predictor`."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from .._util import checks
from .._util.arrays import Ints
from ..core.schedule import Feedback
from ..plain.decisions import Decision
from ..plain.estimates import Predicting
from ..plain.loop import ImpossibleError, Policy, refuse
from ..plain.machine import Job, Machine, Queue, _set
from . import in_plain

_PREDICTION = checks.whole_number(0, checks.LATEST - 1)


# Predict how long jobs run, in the place of the users' estimates.


Predicted = Mapping[Any, int] | None
"""New predictions in seconds by the jobs' numbers, or None."""


class Predictor:
    """Predict run times as jobs arrive, start, outlive their predictions and end: for `simlib.OwnPolicy`.

    Write a class that inherits from this one, with the methods that it needs, out of four. Each method is called at its
    event, with the job and the present second. It returns new predictions, also for other jobs: a dict of total run
    times, in whole seconds, by the numbers of waiting or running jobs; or None. A policy sees the present prediction of
    a job as `job.estimate`, and plans with it; `job.requested` is the requested time. A prediction never kills a job.

    This class itself predicts the requested time and corrects nothing: with it `examples_own.easy` is the original
    EASY.

    References
    ----------
    D. Tsafrir, Y. Etsion and D. G. Feitelson, "Backfilling using runtime predictions rather than user estimates",
    technical report, Hebrew University, 2005, section 3.7: jobArrival, jobStart, jobDeadlineMiss and jobFinish.

    Examples
    --------
    The prediction is the run time of the last job that ended, and doubles if the job outlives it. B is predicted to run
    for 5 s, and after 5 s for 10 s; it runs for 9 s: (5 x 5 + 4 x 10) / 9 on average.

    >>> import simlib
    >>> from simlib.policies import examples_own
    >>> class Last(simlib.Predictor):
    ...     def __init__(self):
    ...         self.run = None
    ...     def arrival(self, job, now):
    ...         return {job.number: self.run or job.requested}
    ...     def deadline_missed(self, job, now):
    ...         return {job.number: 2 * job.estimate}
    ...     def finish(self, job, now):
    ...         self.run = job.run
    >>> rows = [(0, 5, 60, 1), (6, 9, 60, 4), (7, 4, 60, 1)]
    >>> w = simlib.Workload.of("three jobs", 4, A=rows[0], B=rows[1], C=rows[2])
    >>> simlib.simulate(w, simlib.OwnPolicy(examples_own.easy, Last())).jobs.mean_prediction.round(1).to_list()
    [60.0, 7.2, 5.0]
    """

    def arrival(self, job: Job, now: int) -> Predicted:
        """A job joins the queue. Without a prediction, its estimate counts."""

    def start(self, job: Job, now: int) -> Predicted:
        """A job was started."""

    def deadline_missed(self, job: Job, now: int) -> Predicted:
        """A job still runs after its expected end, `job.start + job.estimate`.

        Without a longer prediction, the job is expected to end at once, and this method is not called for it again.
        """

    def finish(self, job: Job, now: int) -> Predicted:
        """A job has ended; `job.run` is known."""


@dataclass(frozen=True, repr=False)
class OwnPolicy:
    """Schedule by your own function, which is called at each scheduling pass in which a job waits.

    Parameters
    ----------
    function : callable
        A function of `queue`, the waiting jobs in order of arrival, and `machine`. It chooses the jobs that start now:

        - as a generator, `yield job`: each starts at once, and `machine.free` and the others know of it;
        - or with `return`: a list of them, which start one after the other when the function has ended; `[]` for none.

        `simlib.plain` has `Job`, `Queue` and `Machine`, which it sees, and the decisions that it may also yield, each
        with its reason. To promise starts, the function or object needs an attribute `reserves = True`.

        To remember something from pass to pass, give an object with a method `__call__(self, queue, machine)`. Each
        simulation works with its copy of this object. So simulations do not learn from each other, and the same
        simulation gives the same schedule again. The copy, with its memory, is `schedule.policy.function`. A plain
        function that keeps things in global variables has no such protection.
    predictor : Predictor, optional
        Predicts run times that replace the users' estimates. Each simulation works with its copy,
        `schedule.policy.predictor`. The schedule then has the columns `adjusted`, the first prediction for each job,
        and `mean_prediction`, the mean over its time in the system, both in seconds (see `simlib.analysis.accuracy`). A
        job that outlives its prediction causes a scheduling pass.

    Raises
    ------
    ValueError
        For an object that cannot be called with a queue and a machine; for a predictor beside a function that promises
        starts. In a simulation: if the function starts a job that does not wait or does not fit, or starts a job twice;
        if it starts no waiting job although no job runs or arrives any more; for a promise that cannot be; for a
        schedule that the machine cannot run, as from a function that changes the machine (see `Schedule.check`); for a
        prediction of a job that neither waits nor runs, or that is no whole number of seconds. An exception of the
        function or the predictor gets a note with the second.

    Examples
    --------
    First come, first served, and then the shortest job that fits first:

    >>> import simlib
    >>> def fcfs(queue, machine):
    ...     for job in queue:
    ...         if not machine.fits(job):
    ...             return
    ...         yield job
    >>> def shortest(queue, machine):
    ...     yield from machine.fitting(sorted(queue, key=lambda job: job.estimate))
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2), C=(2, 9, 9, 1))
    >>> [simlib.simulate(w, simlib.OwnPolicy(own)).jobs.start.to_list() for own in (fcfs, shortest)]
    [[0, 10, 10], [0, 10, 2]]

    An object that remembers the usage of each user, and prefers users with less:

    >>> class Fair:
    ...     def __init__(self):
    ...         self.used = {}
    ...     def __call__(self, queue, machine):
    ...         for job in machine.ended:
    ...             self.used[job.user] = self.used.get(job.user, 0) + job.run * job.procs
    ...         fits = [job for job in queue if machine.fits(job)]
    ...         return sorted(fits, key=lambda job: self.used.get(job.user, 0))[:1]
    >>> schedule = simlib.simulate(w, simlib.OwnPolicy(Fair()))
    >>> schedule
    <Schedule of three jobs under OwnPolicy(Fair()): mean wait 3 s>
    >>> schedule.policy.function.used  # seconds times processors, by user, at its last pass
    {-1: 30}
    """

    in_python: ClassVar[bool] = True  # for `simulate`: a pass is a call of the user's Python
    function: Policy
    predictor: Predictor | None = None
    _given: OwnPolicy | None = field(default=None, init=False, compare=False)  # what it is prepared from
    _jobs: pd.DataFrame | None = field(default=None, init=False, compare=False)  # which it is prepared for

    def __post_init__(self) -> None:
        expected = "expected a function of (queue, machine), or an object that can be called with them"
        if isinstance(self.function, type):
            raise ValueError(f"OwnPolicy: found the class {self.function.__name__}, {expected}: an object of it")
        if not callable(self.function):
            raise ValueError(f"OwnPolicy: found {self.function!r}, {expected}")
        try:
            inspect.signature(self.function).bind(None, None)
        except TypeError as error:
            raise ValueError(f"{self}: cannot be called with a queue and a machine: {error}; {expected}") from None
        given: object = self.predictor
        if not (given is None or isinstance(given, Predictor)):
            expected = "expected an object of a class that inherits from simlib.Predictor"
            raise ValueError(f"OwnPolicy: predictor: found {given!r}, {expected}")
        if given is not None and self.reserves:
            raise ValueError(f"{self}: found a predictor for a function that reserves, expected one or the other")

    def __repr__(self) -> str:
        return f"OwnPolicy({', '.join(_called(one) for one in (self.function, self.predictor) if one is not None)})"

    def prepare(self, jobs: pd.DataFrame | None = None) -> OwnPolicy:
        """Make the policy for one simulation of these jobs: it knows their users, and has its own memory.

        Examples
        --------
        >>> OwnPolicy(lambda queue, machine: queue[:1])
        OwnPolicy(<lambda>)
        """
        given = self._given or self
        prepared = OwnPolicy(*copy.deepcopy((given.function, given.predictor)))
        object.__setattr__(prepared, "_given", given)
        object.__setattr__(prepared, "_jobs", jobs)
        return prepared

    @property
    def reserves(self) -> bool:
        """Whether its function promises starts: see above."""
        return bool(getattr(self.function, "reserves", False))

    def plain(self) -> Policy:
        """Make the policy for one run of `simlib.plain`, with its own memory."""
        return self.prepare()._for_this_run()

    def _for_this_run(self) -> Policy:
        """Make the policy for one run with the memory that is here."""
        asked = _Asked(self)
        return asked if self.predictor is None else Predicting(asked, self._predicted)

    def schedule(
        self,
        submit: Ints,
        run: Ints,
        estimate: Ints,
        procs: Ints,
        machine: int,
        feedback: Feedback | None = None,
        progress_and_stop: Ints | None = None,
        gpus: tuple[Ints, int] | None = None,
    ) -> dict[str, np.ndarray]:
        """Schedule jobs in order of arrival: see `simlib.policies`."""
        if self._jobs is None:
            prepared = self.prepare(pd.DataFrame({"estimate": estimate}))
            return prepared.schedule(submit, run, estimate, procs, machine, feedback, progress_and_stop, gpus)
        policy, given = self._for_this_run(), (submit, run, estimate, procs, machine)
        try:
            columns = in_plain.scheduled(self, policy, self._jobs, *given, feedback, gpus, progress_and_stop)
        except ImpossibleError as error:
            raise ValueError(f"{self}: {error}") from None
        if isinstance(policy, Predicting):
            places = range(len(submit))
            columns["adjusted"] = np.array([policy.first.get(place, 0) for place in places], np.int64)
            columns["mean_prediction"] = np.array([policy.mean.get(place, 0.0) for place in places])
        return columns

    def _predicted(self, event: str, job: Job, there: Mapping[Any, Job], machine: Machine) -> dict[Any, int]:
        """Tell the predictor of an event, and check what it predicts for jobs that are there."""
        assert self.predictor is not None
        try:
            predicted = getattr(self.predictor, event)(job, machine.now)
        except Exception as error:
            error.add_note(f"{self}: {event} of job {job.number} raised this at {machine}")
            raise
        where = f"{event} of job {job.number}"
        if not (predicted is None or isinstance(predicted, Mapping)):
            refuse(machine, f"{where}: returned {predicted!r}, expected a dict of seconds by job number, or None")
        for number, seconds in (predicted or {}).items():
            if number not in there:
                refuse(machine, f"{where}: predicted job {number!r}, expected jobs that wait or run")
            if not _PREDICTION.fits(seconds):
                refuse(machine, f"{where}: predicted {seconds!r} for job {number}, expected whole seconds from 0 on")
        return {number: int(seconds) for number, seconds in (predicted or {}).items()}


class _Asked:
    """Call a function at the passes in which a job waits; if it raises, add the second."""

    def __init__(self, policy: OwnPolicy) -> None:
        self.policy, self.ended = policy, list[Job]()
        if hasattr(policy.function, "restore"):
            self.restore: Callable[..., None] = policy.function.restore

    def __call__(self, queue: Queue, machine: Machine) -> Iterator[Decision | Job]:
        self.ended += machine.ended
        if not queue:
            return
        _set(machine, "ended", self.ended)  # all who have since the last call
        self.ended, waiting = [], len(queue)
        try:
            chosen = self.policy.function(queue, machine)
            if not hasattr(chosen, "__iter__"):
                refuse(
                    machine,
                    f"returned {chosen!r}, expected the jobs to start: each by yield, or a list, [] for none",
                )
            yield from chosen
        except Exception as error:
            error.add_note(f"{self.policy} raised this at {machine}; {waiting:,} waited when the pass began")
            raise


def _called(thing: Any) -> str:
    """The name of a function, or of an object's class."""
    shown = repr(thing)
    shown = f"{type(thing).__name__}()" if shown == object.__repr__(thing) else shown
    return getattr(thing, "__name__", shown)
