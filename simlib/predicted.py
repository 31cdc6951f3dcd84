"""Plan with predicted run times in place of adjusted estimates."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from .arrays import Floats, Ints
from .engine.history import History
from .walltime import Adjustment, Scheme


@dataclass(frozen=True, eq=False)
class Predicted(Adjustment):
    """Set where a scheduler uses predictions that were made beforehand, by whatever means.

    Two are equal only if they are the same object, for predictions are not compared.

    Parameters
    ----------
    queue, backfill, running, overdue
        As for `simlib.walltime.Adjustment`.
    predicted : Series
        By the index of the jobs, in seconds, such as what a model of `simlib.estimates` gives. Where it is above the
        estimate, the estimate counts.

    Examples
    --------
    EASY that knows the run times when it backfills, and trusts the users about running jobs:

    >>> import simlib
    >>> workload = simlib.load("sample")
    >>> perfect = Predicted(predicted=workload.jobs.run, running=False)
    >>> jobs = simlib.simulate(workload, simlib.EASY(adjust=perfect)).jobs
    >>> bool((jobs.adjusted == jobs.run).all())
    True
    """

    scheme: Scheme = Scheme("user", window=None, percentile=100, least=1)
    predicted: pd.Series | None = field(default=None, repr=False)

    __eq__, __hash__ = object.__eq__, object.__hash__

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.predicted is None:
            raise ValueError("Predicted: found no predictions, expected predicted=, a Series by job, in seconds")

    def history(self, jobs: pd.DataFrame) -> tuple[History, Ints, Floats]:
        """Make the history that a simulation of `jobs` starts from; see `Adjustment.history`.

        Each job is a group of its own, whose past is one made-up job that used the predicted share of its estimate.

        Examples
        --------
        >>> table = pd.DataFrame({"submit": [0, 100], "run": [30, 15], "estimate": 60, "user": 7})
        >>> past, group, r = Predicted(predicted=table.run).history(table)
        >>> group.tolist()
        [0, 1]
        """
        assert self.predicted is not None
        estimate = np.maximum(jobs.estimate, jobs.run)  # as `simulate` extends it
        alone = jobs.assign(user=np.arange(len(jobs)), estimate=estimate)
        day = 86400  # longer than a shake moves submit times
        made_up = alone.assign(run=self.predicted.loc[jobs.index], end=jobs.submit.min() - day)
        return Adjustment(self.scheme, past=made_up).history(alone)
