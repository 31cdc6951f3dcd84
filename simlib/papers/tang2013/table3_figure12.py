"""Table 3 and Figure 12: what over- and underestimates do to backfilling (sections 5.1 and 5.2).

The schedules, and what is read off them, are in `examples`.
"""

from functools import cached_property

import numpy as np
import pandas as pd

from ..exhibit import EXAMPLES, Exhibit, Part
from . import examples, examples_pictures

LEFT = ("users' estimates", "job 3 overestimated", "job 4 underestimated", "job 4 badly underestimated")
RIGHT = ("users' estimates", "job 1 overestimated", "job 1 underestimated", "job 1 badly underestimated")
"""The cases of either half of Figure 12."""

MOVED = "job 3 overestimated"
"""The case in which selective adjustment moves the reservation, at half past two."""


class Table3Figure12(Exhibit, name="tang2013/table3-figure12", section="5.1", seconds=10, claims={"TG-13": EXAMPLES}):
    """What do over- and underestimates do to backfilling?"""

    order: str = "fcfs"
    lowest_share: float = 0.5

    @cached_property
    def results(self):
        """The effects of every case, by strategy and case."""
        return examples.study(self.order)

    @cached_property
    def table(self):
        """Table 3 under regular adjustment."""
        return examples.table3(self.results.loc["regular"])

    @cached_property
    def selective(self):
        """Its row of waiting jobs under selective adjustment, which leaves running jobs alone."""
        return examples.table3(self.results.loc["selective"]).loc[["waiting"]]

    @cached_property
    def two_running(self):
        """The effects where two jobs run of which one is underestimated, by strategy."""
        jobs = examples.two_running()
        cases = {"users' estimates": ({},), "regular": ({1: 0.6},), "selective": ({1: 0.6}, True)}
        return pd.DataFrame({name: examples.effects(examples.scheduled(jobs, *how)) for name, how in cases.items()}).T

    @cached_property
    def sweeps(self):
        """The effects by A of the job that is adjusted, which goes from 1 down to `lowest_share`."""
        shares = np.round(np.arange(1, self.lowest_share - 0.001, -0.01), 2)
        adjusted = {"job 4 waits": 4, "job 1 runs": 1}
        return {title: examples.by_share(job, shares, self.order) for title, job in adjusted.items()}

    def judge(self):
        return examples.claims(self.results)

    def parts(self):
        regular = self.results.loc["regular"]
        printed = pd.concat({"regular": self.table, "selective": self.selective}, names=["strategy"])
        on = {"on": (EXAMPLES,)}
        return {
            "": Part(printed, **on),
            "left": Part(regular.filter(regex="users|job [34]", axis=0), lambda: self._cases(LEFT), **on),
            "right": Part(regular.filter(regex="users|job 1", axis=0), lambda: self._cases(RIGHT), **on),
            "between": Part(
                pd.concat(self.sweeps, names=["adjusted job"]), lambda: examples_pictures.by_share(self.sweeps), **on
            ),
            "moved": Part(self.results.xs(MOVED, level="case"), self._moved, **on),
        }

    def _cases(self, names):
        return self._at(examples.DECISION, {name: (*examples.CASES[name], False) for name in names})

    def _moved(self):
        job4, shares = examples.CASES[MOVED]
        strategies = {"regular: job 3 taken for 4:00": False, "selective: job 3 taken for 8:00": True}
        return self._at(150 * 60, {title: (job4, shares, selective) for title, selective in strategies.items()})

    def _at(self, now, cases):
        """A picture of cases, each given as (minutes that job 4 runs, shares, whether selective), at second `now`."""
        schedules = {
            title: examples.scheduled(examples.figure12(job4), shares, selective, self.order)
            for title, (job4, shares, selective) in cases.items()
        }
        moments = {title: examples.moment(schedule, now) for title, schedule in schedules.items()}
        return examples_pictures.backfill_decisions(schedules, moments, now)
