"""The accuracy of the run times with which a scheduler plans (Tsafrir, Etsion & Feitelson 2005, section 4)."""

import numpy as np
import pandas as pd

from .._util.arrays import Floats
from ..core.schedule import Schedule
from ..engine.estimating import STEPS
from ..policies import walltime
from ..policies.easy import Predictions


def accuracy(schedule: Schedule) -> pd.Series:
    """Measure the accuracy of each job's prediction: the smaller of prediction and run time divided by the larger.

    A prediction may be corrected, so the mean counts over the job's time in the system, from its submission to its end.
    Without predictions it is the user's estimate, even if the job runs longer. Under
    `simlib.policies.walltime.Adjustment` it is the adjusted estimate, without corrections.

    Parameters
    ----------
    schedule : Schedule

    Returns
    -------
    Series
        By job, from 0 to 1; 1 if both are zero.

    References
    ----------
    D. Tsafrir, Y. Etsion and D. G. Feitelson, "Backfilling using runtime predictions rather than user estimates",
    technical report, Hebrew University, 2005, section 4.

    Examples
    --------
    The second job was predicted to run for 10 s, as the first one did, and after 10 s for its estimate of 60 s. It was
    in the system for 30 s, so its mean prediction is (10 x 10 + 20 x 60) / 30 = 43.3 s.

    >>> import pandas as pd, simlib
    >>> rows = {"submit": [0, 100], "run": [10, 30], "estimate": 60, "procs": 1, "user": 7}
    >>> w = simlib.Workload(pd.DataFrame(rows), 4)
    >>> accuracy(simlib.simulate(w, simlib.EASY(adjust=simlib.Predictions()))).round(3).to_list()
    [0.167, 0.692]
    """
    names, policy = schedule.names, schedule.policy
    if "mean_prediction" in names:
        predicted = schedule.column("mean_prediction")
    elif isinstance(getattr(policy, "adjust", None), Predictions) and policy.adjust.correct:  # type: ignore[attr-defined]
        predicted = _mean_of_corrected(schedule)
    else:
        predicted = schedule.column("adjusted") if "adjusted" in names else schedule.workload.jobs.estimate.to_numpy()
    return pd.Series(
        walltime.accuracy(schedule.column("run"), predicted), schedule.workload.jobs.index, name="accuracy"
    )


def _mean_of_corrected(schedule: Schedule) -> Floats:
    """Average the predictions of each job over its time in the system, as `simlib.Predictions` corrects them."""
    wait, run, first = schedule.column("wait"), schedule.column("run"), schedule.column("adjusted")
    longer = schedule.workload.jobs.estimate.clip(lower=1).to_numpy()
    total = first * (wait + np.minimum(run, first)).astype(float)
    outlived, steps = first, iter(STEPS)
    while (run > outlived).any():
        total += longer * np.clip(np.minimum(run, longer) - outlived, 0, None)
        outlived = np.maximum(outlived, longer)
        longer = longer + next(steps, STEPS[-1])
    response = wait + run
    return np.divide(total, response, out=first.astype(float), where=response > 0)
