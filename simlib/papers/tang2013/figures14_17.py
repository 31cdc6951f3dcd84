"""Figures 14 to 17: what adjusted walltimes do to the schedule (section 6.2)."""

from functools import cached_property, partial

import pandas as pd

from ..exhibit import LOGS, Part, repeats
from . import STAND_INS, pictures, scheduling, scheduling_claims
from .on_traces import OnTraces


class Figures1417(
    OnTraces,
    name="tang2013/figures14-17",
    section="6.2",
    seconds=100,
    claims={f"TG-{number}": LOGS for number in range(15, 21)},
):
    """What do adjusted walltimes do to the schedule?"""

    trace: tuple = STAND_INS
    window: str | None = "1 month"
    threshold: float | None = 0.5
    least: int = 10
    least_jobs: int = 500
    shakes: int = repeats(20)
    shake_s: int = 60
    seed: int = 1

    @cached_property
    def months(self):
        """The months of each log, from `scheduling.months`."""
        return scheduling.months(self.found, self.least_jobs)

    @property
    def cases(self):
        """The cases of a trace, a function as `scheduling.runs` takes it."""
        return partial(scheduling.cases, window=self.window, threshold=self.threshold, least=self.least)

    @cached_property
    def results(self):
        """Every simulation, from `scheduling.runs`."""
        shaken = {"shakes": self.shakes, "shake_s": self.shake_s, "seed": self.seed}
        return scheduling.runs(self.found, self.cases, **shaken, least_jobs=self.least_jobs)

    @cached_property
    def gains(self):
        """What each case gains over the baseline, month by month and shake by shake."""
        return scheduling.gains(self.results)

    @cached_property
    def monthly(self):
        """Gains by month with their spread over the shakes."""
        return scheduling.monthly(self.gains)

    @cached_property
    def averages(self):
        """Gains averaged over the months, with their spread over the shakes."""
        return scheduling.averages(self.gains)

    @cached_property
    def worst(self):
        """The month in which the selective 85th percentile does worst under WFP by slowdown: (trace, month)."""
        place = "wfp", "selective p85", "slowdown"
        row = self.averages.xs(place, level=("order", "case", "metric")).sort_values("worst").iloc[0]
        return row.name, row.worst_month

    @cached_property
    def changes_of_worst(self):
        """What it does there to each job, from `scheduling.changes`."""
        name, month = self.worst
        trace = next(one for one in self.found if one.name == name)
        return scheduling.changes(trace, month, "wfp", self.cases(trace)["selective p85"])

    @cached_property
    def effective_jobs(self):
        """On how many jobs the weighted wait of the baseline rests, and how many there are a month, in the median."""
        baseline = self.results.xs(scheduling.BASELINE, level="case").groupby(["trace", "order"], sort=False)
        table = baseline.effective_jobs.median().to_frame("effective jobs")
        jobs = self.months.query("simulated").jobs
        return table.assign(**{"jobs a month": [jobs[trace].median() for trace, _ in table.index]})

    @cached_property
    def correlations(self):
        """Spearman's correlation over the months of the gain in wait of the selective 85th percentile."""
        columns = ["jobs", "load", "requested_h", "run_h", "r"]
        gain = self.monthly.gain.xs(("selective p85", "wait"), level=("case", "metric"))
        found = {
            (name, order): self.months.loc[name][columns].corrwith(of.loc[name].loc[order], method="spearman")
            for (name, order), of in gain.groupby(["trace", "order"], sort=False)
        }
        return pd.DataFrame(found).T.rename_axis(["trace", "order"])

    def beside_printed(self, figure):
        """The average gains of one of figures 14 to 17 and the printed ones, for reading."""
        return scheduling.beside_printed(self.averages, figure)

    def judge(self):
        return scheduling_claims.claims(self.found, self.gains)

    def parts(self):
        found = {"": Part(self.averages, cells=scheduling.cells(self.averages)), "months": Part(self.months)}
        for number in scheduling.FIGURES:
            monthly, averages = (scheduling.of_figure(table, number) for table in (self.monthly, self.averages))
            draw = partial(pictures.gains_by_month, monthly, averages, scheduling.printed(number))
            found[f"figure{number}"] = Part(monthly, draw)
        return found
