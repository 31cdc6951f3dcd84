"""Predict run times in plain Python: the mean of the user's last two jobs (Tsafrir, Etsion & Feitelson 2007)."""

from collections.abc import Sequence

from ..policies import Predictions
from . import rules_beyond
from .system import Decisions, Job, System


class Predictor:
    """What is known of users' last jobs, and what it makes of those that arrive and of those that run.

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
        self.runs: dict[int, list[int]] = {}  # by user: the run times of the last two jobs that have ended
        self.to_learn = list(ended)
        if predictions.past is not None:
            past = predictions.past.sort_values("end", kind="stable")
            for user, run in zip(past.user.tolist(), past.run.tolist(), strict=True):
                self._learn(user, run)

    def _learn(self, user: int, run: int) -> None:
        self.runs[user] = [*self.runs.get(user, []), run][-2:]

    def predict(self, system: System) -> Decisions:
        """Predict the run times of the jobs that arrive, from those that ended before this second."""
        self.to_learn += system.ended
        if not system.arrived:
            return
        known = [job for job in self.to_learn if job.end < system.now]
        self.to_learn = [job for job in self.to_learn if job.end >= system.now]
        for job in sorted(known, key=lambda job: (job.end, job.arrival)):
            self._learn(job.user, job.run)
        for job in system.arrived:
            runs = self.runs.get(job.user, []) if job.user != -1 else []
            if len(runs) == 2:
                job.predicted = min(max(sum(runs) // 2, 1), job.estimate)
                self._use(job)
                yield rules_beyond.predicts, job, tuple(runs)
            else:
                yield rules_beyond.does_not_predict, job, len(runs)

    def _use(self, job: Job) -> None:
        """Go by what is predicted, where that is switched on."""
        job.in_queue = job.predicted if self.predictions.queue else job.estimate
        job.to_backfill = job.predicted if self.predictions.backfill else job.estimate
        job.while_running = job.predicted if self.predictions.running else job.estimate

    def correct(self, system: System) -> Decisions:
        """Raise the predictions that running jobs have outlived: to the first step beyond now, at last the estimate.

        Examples
        --------
        >>> job = Job("A", 0, 0, 500, 500, 1, start=0, while_running=20, predicted=20)
        >>> system = System(4, [], now=90, running=[job])
        >>> [rule.kind for rule, *_ in Predictor(Predictions()).correct(system)], job.expected_end
        (['correct'], 320)
        """
        for job in sorted(system.running, key=lambda job: (job.expected_end, job.arrival)):
            if job.predicted is not None and self.predictions.running and job.expected_end <= system.now:
                before = job.expected_end
                job.while_running = corrected(
                    self.predictions.steps, job.predicted, job.estimate, system.now - job.start
                )
                yield rules_beyond.corrects, job, before


def corrected(steps: Sequence[int], predicted: int, estimate: int, age: int) -> int:
    """Say how long a job is expected to run that has run for `age` seconds, longer than predicted.

    Examples
    --------
    >>> [corrected((60, 300), predicted=20, estimate=500, age=age) for age in (20, 80, 400)]
    [80, 320, 500]
    """
    return next((total for step in steps if (total := min(predicted + step, estimate)) > age), estimate)
