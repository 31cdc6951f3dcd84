"""What the paper leaves open: predictions in place of adjusted estimates, who pays for a gain, where it is had."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from simlib._util.arrays import Bools, Floats, Ints
from simlib.core.schedule import Schedule
from simlib.core.workload import Workload
from simlib.engine.estimating import History
from simlib.policies import adjusting
from simlib.policies.adjusting import Adjustment, Scheme

from .. import claims, judging
from ..other_machines.deciding import FEWEST, HALF, MOST, TOO_FEW, Decision, Held, correlation
from . import scheduling
from .scheduling import BASELINE, spread

# Plan with predicted run times in place of adjusted estimates.


@dataclass(frozen=True, eq=False)
class Predicted(Adjustment):
    """Set where a scheduler uses predictions made beforehand; two are equal only if they are the same object."""

    scheme: Scheme = Scheme("user", window=None, percentile=100, least=1)
    predicted: pd.Series = field(kw_only=True, repr=False)  # by job, in seconds

    __eq__, __hash__ = object.__eq__, object.__hash__

    def history(self, jobs: pd.DataFrame) -> tuple[History, Ints, Floats]:
        """Make the history of `jobs`: each is its own user, whose one past job used the predicted share."""
        estimate = np.maximum(jobs.estimate, jobs.run)  # as `simulate` extends it
        alone = jobs.assign(user=np.arange(len(jobs)), estimate=estimate)
        the_day_before = jobs.submit.min() - 86400  # no shake moves submit times by so much
        made_up = alone.assign(run=self.predicted.loc[jobs.index], end=the_day_before)
        return Adjustment(self.scheme, past=made_up).history(alone)


# Who pays


EVERY = "all jobs"
"""The kind that each job is of."""


def measures(kinds: Mapping[str, str], schedule: Schedule) -> dict[tuple[str, str], float]:
    """Measure a schedule: `scheduling.measures` of EVERY job; of each of `kinds` the number of jobs and their waits."""
    found = {(EVERY, metric): value for metric, value in scheduling.measures(schedule).items()}
    wait = schedule.column("wait")
    for kind, (jobs, of) in of_kinds(schedule.workload, tuple(kinds.items())).items():
        found |= {(kind, "jobs"): jobs, (kind, "waited"): int(wait[of].sum())}
    return found


@lru_cache(maxsize=8)  # all cases of a month are measured one after another, by several threads
def of_kinds(workload: Workload, kinds: tuple[tuple[str, str], ...]) -> dict[str, tuple[int, Bools]]:
    """Count and find the jobs of each kind: pairs of a name and a condition on R and the share of the machine."""
    jobs = workload.jobs
    known: Any = pd.DataFrame({"r": adjusting.used(jobs.run, jobs.estimate), "share": jobs.procs / workload.procs})
    found: dict[str, Any] = {EVERY: np.ones(len(jobs), bool)}
    found |= {kind: known.eval(condition, engine="python").to_numpy() for kind, condition in kinds}
    return {kind: (int(np.count_nonzero(of)), of) for kind, of in found.items()}


def who_pays(runs: pd.DataFrame) -> pd.DataFrame:
    """Work out what each case takes off the mean wait of each kind of jobs of all months, in seconds `before`."""
    levels = ["log", "order", "case", "kind"]
    sums: Any = runs.groupby([*levels, "run", "metric"], sort=False).sum()
    jobs, waited = (sums.xs(metric, level="metric") for metric in ("jobs", "waited"))
    table = judging.in_order(spread(scheduling.over_baseline(waited / jobs)), *levels)
    before = spread((waited / jobs).xs(BASELINE, level="case")).ours
    counts = jobs.xs((judging.AS_IT_IS, BASELINE), level=("run", "case")).unstack("kind")
    share = counts.div(counts[EVERY], axis=0).stack()
    place = table.droplevel("case").index
    table.insert(0, "share", share.reindex(place).to_numpy())
    table.insert(1, "before", before.reindex(place).to_numpy())
    return table


# Which machines gain: findings OWN-60 and OWN-61. `gained` has by (order, trace) a mean gain `ours`, its interval
# `months_low` to `months_high`, how `unlike` Intrepid's the users are, and the `published` gain.


NEAREST = 4
"""How many machines are most alike."""


def less_where_alike(gained: pd.DataFrame) -> Decision:
    """Decide whether gains are smaller the more alike users estimate, as `study.finding`."""
    by_order = {order: correlation(of.ours, of.unlike) for order, of in gained.groupby("order", sort=False)}
    found = pd.DataFrame(by_order).T
    if (found.logs < FEWEST).any():
        return None, TOO_FEW, {}
    sure = found.rho[found.chance <= 0.05 / len(found)]
    rows: Iterable[Any] = found.iterrows()
    each = [f"{order.upper()} {one.rho:+.2f} on {one.logs:.0f} logs (chance {one.chance:.3f})" for order, one in rows]
    rho: dict[Any, float] = found.rho.to_dict()
    text = f"rank correlation of gain and unlikeness {', '.join(each)}"
    return _told((sure > 0).any(), (sure < 0).any()), text, rho


def half_where_alike(gained: pd.DataFrame) -> Decision:
    """Decide whether the machines that are most alike reach half of a printed gain, as `study.finding`."""
    if len(gained) < FEWEST:
        return None, TOO_FEW, {}
    nearest, printed = gained.sort_values("unlike").head(NEAREST), gained.published.iloc[0]
    above = int((nearest.months_low > HALF * printed).sum())
    below = int((nearest.months_high < HALF * printed).sum())
    each = ", ".join(f"{name} {ours:+.1%}" for name, ours in nearest.ours.items())
    text = f"above half of {printed:.0%} on {above} of {NEAREST} machines, below on {below}: {each}"
    holds = _told(above >= MOST * NEAREST, below >= MOST * NEAREST)
    return holds, text, {"logs": NEAREST, "with": above, "against": below}


def _told(so: bool | np.bool_, not_so: bool | np.bool_) -> Held:
    """Tell whether something holds, where both or neither may be shown."""
    return claims.OPEN if so == not_so else bool(so)
