"""Predict run times from the user's last two jobs, as EASY++ does."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ..arrays import Ints

MINUTE, HOUR = 60, 3600

STEPS = (1 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, *(hours * HOUR for hours in (1, 2, 5, 10, 20, 50, 100)))
"""What is added to a prediction that was too short, one after the other, in seconds."""


@dataclass(frozen=True)
class Predictions:
    """Plan with predicted run times in the place of the users' estimates: the mean of the user's last two jobs.

    When a job is submitted, its run time is predicted as the mean of those of its user's two jobs that ended last
    before this second, in whole seconds, one at least and the estimate at most; where fewer than two have ended, or the
    user is not known, it is the estimate. Of jobs that ended in the same second the one that arrived later counts as
    later. A job that runs for longer than predicted is expected to run for the first step of the list more than was
    predicted, then for the second, and so on; after the last step, for its estimate, which is never exceeded. That is
    done at the beginning of each scheduling pass; a prediction that proves too short does not cause a pass. No job is
    killed for its prediction.

    Parameters
    ----------
    queue, backfill, running : bool
        Where predictions are used: in the order of the queue, for jobs that might be backfilled, for running jobs, and
        so for the reservation of the head. The three switches of `simlib.walltime.Adjustment`.
    steps : tuple of int
        Seconds, growing.
    past : DataFrame, optional
        Jobs of before: `user`, `run`, and `end` in seconds of the same clock.

    Raises
    ------
    ValueError
        For steps that do not grow, or a past without these columns.

    References
    ----------
    D. Tsafrir, Y. Etsion and D. G. Feitelson, "Backfilling using system-generated predictions rather than user runtime
    estimates", IEEE TPDS 18(6), 2007. The list of steps is that of predictsim, the public simulator of E. Gaussier, D.
    Glesser, V. Reis and D. Trystram, "Improving backfilling by using machine learning to predict running times", 2015.

    Examples
    --------
    >>> import pandas as pd, simlib
    >>> rows = {"submit": [0, 100, 200], "run": [10, 30, 50], "estimate": 60, "procs": 1, "user": 7}
    >>> w = simlib.Workload(pd.DataFrame(rows), 4)
    >>> simlib.simulate(w, simlib.EASY(adjust=Predictions())).jobs.adjusted.to_list()
    [60, 60, 20]
    """

    queue: bool = True
    backfill: bool = True
    running: bool = True
    steps: tuple[int, ...] = STEPS
    past: pd.DataFrame | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        steps = list(self.steps)
        if not all(isinstance(step, (int, np.integer)) for step in steps) or sorted({0, *steps}) != [0, *steps]:
            raise ValueError(f"Predictions: found steps={self.steps!r}, expected growing whole seconds above 0")
        needed = ["user", "run", "end"]
        if self.past is not None and (missing := [name for name in needed if name not in self.past]):
            raise ValueError(f"Predictions: past: missing column {', '.join(missing)}; expected {', '.join(needed)}")

    def history(self, jobs: pd.DataFrame) -> tuple[tuple[Ints, Ints], Ints]:
        """Find what is known before the first of these jobs arrives.

        Parameters
        ----------
        jobs : DataFrame
            As `Workload.jobs`.

        Returns
        -------
        last, before : pair of int64 arrays
            By user: the run times of the two past jobs that ended last, in seconds; -1 where there is none.
        user : int64 array
            The number of each job's user; -1 where it is not known.

        Raises
        ------
        ValueError
            Where no job has a user.

        Examples
        --------
        >>> table = pd.DataFrame({"user": [3, 5], "submit": [0, 1]})
        >>> before = pd.DataFrame({"user": [5, 5], "run": [20, 10], "end": [-9, -99]})
        >>> (last, before), user = Predictions(past=before).history(table)
        >>> last.tolist(), before.tolist(), user.tolist()
        ([-1, 20], [-1, 10], [0, 1])
        """
        if "user" not in jobs or (len(jobs) and (jobs.user == -1).all()):
            raise ValueError("Predictions: found no job with a user, which predictions are made by; expected some")
        known = jobs.user.where(jobs.user != -1)  # those that are not get no number
        place, users = pd.factorize(known)
        last, before = np.full((2, len(users)), -1)
        if self.past is not None:
            earlier = self.past[self.past.user.isin(users)].sort_values("end", kind="stable")
            for user, run in zip(pd.Index(users).get_indexer(earlier.user), earlier.run.tolist(), strict=True):
                last[user], before[user] = run, last[user]
        return (last, before), place.astype(np.int64)
