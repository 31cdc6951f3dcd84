"""Predict run times, and correct the predictions that are outlived, as EASY++ does."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from .._util.arrays import Ints

PREDICTORS = {"last two": ["user"], "same estimate": ["user", "estimate"], "exact": None, "estimate": None}
"""The names of predictors; of those that learn, what the jobs have in common that they learn from."""

NONE = -3
"""The number of a past job that there is not: below those of the last two, -1 and -2."""


@dataclass(frozen=True)
class Predictions:
    """Plan with predicted run times in the place of the users' estimates, and correct those that are outlived.

    A job's run time is predicted when it arrives: as the mean run time, in whole seconds and at least one, of the two
    jobs of the same user that were submitted last of those that have ended by then; where only one has ended, as that
    one's; where none has, or the user is not known, as the user's estimate. A prediction counts only where it is below
    the estimate. A running job that outlives its prediction is expected to run for the user's estimate from then on;
    one that outlives its estimate for one minute more, then for another 5, 15 and 30 minutes, and another 1, 2, 5, 10,
    20, 50 and 100 hours, one after another. Each such correction causes a scheduling pass. No job is killed for it.

    The estimate is what the user asked for, at least one second, even where the job runs longer; without predictions,
    or where they are switched off, `simulate` raises it to the run time.

    Parameters
    ----------
    predictor : {"last two", "same estimate", "exact", "estimate"}
        "last two" as above; "same estimate" learns only from jobs of the user with the same estimate (section 5.1);
        "exact" knows the run times; "estimate" predicts nothing, so that estimates are corrected and that is all.
    queue, backfill, running : bool
        Where predictions are used: in the order of the queue, for jobs that might be backfilled, for running jobs, and
        so for the reservation of the head. The three switches of `simlib.policies.walltime.Adjustment`.
    correct : bool
        Whether what a running job outlives is corrected. If not, the job is expected to end at once, again and again,
        which keeps others from being backfilled (section 3.3).
    past : DataFrame, optional
        Jobs that were submitted and have ended before: `submit`, `run`, `user`, and for "same estimate" `estimate`.

    Raises
    ------
    ValueError
        For a predictor that is none of these, or a past without these columns.

    References
    ----------
    D. Tsafrir, Y. Etsion and D. G. Feitelson, "Backfilling using runtime predictions rather than user estimates",
    technical report, Hebrew University, 2005: the predictor in section 3.2, the correction in 3.4, the last two jobs of
    the same estimate in 5.1. It does not say how a mean is rounded (here: down), whether a job has ended that ends in
    the second of an arrival (it has), and what follows the 100 hours (another 100 hours each time).

    Examples
    --------
    >>> import pandas as pd, simlib
    >>> rows = {"submit": [0, 100, 200], "run": [10, 30, 50], "estimate": 60, "procs": 1, "user": 7}
    >>> w = simlib.Workload(pd.DataFrame(rows), 4)
    >>> simlib.simulate(w, simlib.EASY(adjust=Predictions())).jobs.adjusted.to_list()
    [60, 10, 20]
    """

    predictor: str = "last two"
    queue: bool = True
    backfill: bool = True
    running: bool = True
    correct: bool = True
    past: pd.DataFrame | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.predictor not in PREDICTORS:
            names = ", ".join(map(repr, PREDICTORS))
            raise ValueError(f"Predictions: found predictor={self.predictor!r}, expected one of {names}")
        needed = ["submit", "run", *(PREDICTORS[self.predictor] or ())]
        if self.past is not None and (missing := [name for name in needed if name not in self.past]):
            raise ValueError(f"Predictions: past: missing column {', '.join(missing)}; expected {', '.join(needed)}")

    def history(self, jobs: pd.DataFrame) -> tuple[tuple[Ints, Ints], Ints, Ints]:
        """Find what is known before the first of these jobs arrives.

        Parameters
        ----------
        jobs : DataFrame
            As `Workload.jobs`.

        Returns
        -------
        runs, numbers : pair of int64 arrays, shape (groups, 2)
            Of the two past jobs of each group that were submitted last, the last one first: the run times in seconds,
            -1 where there is none; and -1 and -2, as they come before the jobs' own numbers.
        group : int64 array
            The number of each job's group; -1 for none.
        estimate : int64 array
            The user's estimate of each job, in seconds, at least one.

        Raises
        ------
        ValueError
            Where the predictor learns from users' jobs and no job has a user.

        Examples
        --------
        >>> table = pd.DataFrame({"user": [3, 5], "submit": [0, 1], "estimate": 60})
        >>> before = pd.DataFrame({"user": [5, 5, 5], "run": [10, 20, 30], "submit": [-99, -9, -999]})
        >>> (runs, numbers), user, _ = Predictions(past=before).history(table)
        >>> runs.tolist(), numbers.tolist(), user.tolist()
        ([[-1, -1], [20, 10]], [[-3, -3], [-1, -2]], [0, 1])
        """
        estimate = jobs.estimate.clip(lower=1).to_numpy(np.int64)
        columns = PREDICTORS[self.predictor]
        if columns is None:
            nobody = np.empty((0, 2), np.int64)
            return (nobody, nobody), np.full(len(jobs), -1), estimate
        if "user" not in jobs or (len(jobs) and (jobs.user == -1).all()):
            raise ValueError("Predictions: found no job with a user, which predictions are made by; expected some")
        past = jobs[:0] if self.past is None else self.past.sort_values("submit", kind="stable")[::-1]  # latest first
        of_all = pd.concat([jobs[columns], past[columns]]).groupby(columns, sort=False).ngroup().to_numpy(np.int64)
        group, of_past = of_all[: len(jobs)], of_all[len(jobs) :]
        groups = int(of_all.max(initial=-1)) + 1
        runs, numbers = np.full((groups, 2), -1), np.full((groups, 2), NONE)
        before = past.groupby(of_past).cumcount().to_numpy()  # 0 for the last one of a group, 1 for the one before it
        known = before < 2
        runs[of_past[known], before[known]] = past.run[known]
        numbers[of_past[known], before[known]] = -1 - before[known]
        return (runs, numbers), np.where(jobs.user == -1, -1, group), estimate
