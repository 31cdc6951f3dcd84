"""Predict run times in plain Python, and correct what is outlived (Tsafrir, Etsion & Feitelson 2005, section 3)."""

from collections.abc import Sequence

from ..policies import Predictions
from ..policies.predictions import STEPS
from . import rules_beyond
from .system import Decisions, Job, System


class Predictor:
    """What is known of the jobs that have ended, and what it makes of those that arrive and of those that run.

    Parameters
    ----------
    predictions : Predictions
    ended : sequence of Job
        Jobs that ended before.

    Examples
    --------
    >>> ended = [Job(run, run, 0, run, 60, 1, start=0, user=7) for run in (10, 30)]
    >>> predictor = Predictor(Predictions(), ended)
    >>> job = Job("A", 2, 100, 50, 60, 1, user=7)
    >>> [rule.kind for rule, *_ in predictor.predict(System(4, [], now=100, arrived=[job]))], job.to_backfill
    (['predict'], 20)
    """

    def __init__(self, predictions: Predictions, ended: Sequence[Job] = ()) -> None:
        self.predictions = predictions
        self.known: dict[tuple, list[tuple[int, int]]] = {}  # by key: arrival and run time of the jobs that have ended
        self.learns = predictions.predictor in ("last two", "same estimate")
        if predictions.past is not None and self.learns:
            past = predictions.past.sort_values("submit", kind="stable").to_dict("records")
            for place, job in enumerate(past, -len(past)):
                self.known.setdefault(self._key(job["user"], job.get("estimate")), []).append((place, job["run"]))
        self._learn(ended)

    def _key(self, user: int, estimate: int | None) -> tuple:
        """What the jobs have in common that predict each other."""
        return (user, estimate) if self.predictions.predictor == "same estimate" else (user,)

    def _learn(self, ended: Sequence[Job]) -> None:
        for job in ended if self.learns else ():
            if job.user != -1:
                self.known.setdefault(self._key(job.user, job.requested), []).append((job.arrival, job.run))

    def predict(self, system: System) -> Decisions:
        """Predict the run times of the jobs that arrive, from those that have ended."""
        self._learn(system.ended)
        for job in system.arrived:
            known = self.known.get(self._key(job.user, job.requested), []) if job.user != -1 else []
            runs = [run for _, run in sorted(known)[-2:]]
            job.predicted = max(job.requested, 1)
            if self.predictions.predictor == "exact":
                job.predicted = job.run
            elif runs:
                job.predicted = min(max(sum(runs) // len(runs), 1), job.predicted)
            self._use(job)
            if runs:
                yield rules_beyond.predicts, job, tuple(runs)
            elif self.learns:
                yield rules_beyond.does_not_predict, job

    def _use(self, job: Job) -> None:
        """Go by what is predicted, where that is switched on."""
        job.in_queue = job.predicted if self.predictions.queue else job.estimate
        job.to_backfill = job.predicted if self.predictions.backfill else job.estimate
        job.while_running = job.predicted if self.predictions.running else job.estimate

    def correct(self, system: System) -> Decisions:
        """Expect the running jobs to end later that have outlived what was expected of them.

        Examples
        --------
        >>> job = Job("A", 0, 0, 500, 500, 1, start=0, while_running=20, predicted=20)
        >>> system = System(4, [], now=20, running=[job])
        >>> [rule.kind for rule, *_ in Predictor(Predictions()).correct(system)], job.expected_end
        (['correct'], 500)
        """
        for job in sorted(system.running, key=lambda job: (job.expected_end, job.arrival)):
            if self.predictions.correct and job.expected_end <= system.now:
                before = job.expected_end
                job.while_running = corrected(job.while_running, max(job.requested, 1), system.now - job.start)
                yield rules_beyond.corrects, job, before


def corrected(expected: int, estimate: int, age: int) -> int:
    """Say how long a job is expected to run that has run for `age` seconds: what was expected, or its corrections.

    Examples
    --------
    >>> [corrected(20, estimate=500, age=age) for age in (19, 20, 500, 560)]
    [20, 500, 560, 860]
    """
    if expected <= age:
        expected = estimate
    for step in STEPS:
        if expected <= age:
            expected += step
    while expected <= age:
        expected += STEPS[-1]
    return expected
