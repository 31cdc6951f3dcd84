"""Figure 5: how much is backfilled, and which jobs, on logs and on models (section 3.3)."""

from dataclasses import field
from functools import cached_property, partial

import pandas as pd

from ...models import feitelson96, jann97
from ..exhibit import LOGS, MODELS, Part, repeats
from . import SCHEDULERS, TRACES, backfilling, model_backfilling, pictures, traces
from .distributions import ALL, named
from .on_traces import OnTraces

ON = {"MF-16": LOGS, "MF-14": MODELS, "MF-15": MODELS, "MF-17": MODELS}


class Figure5(OnTraces, name="mualem2001/figure5", section="3.3", seconds=60, claims=ON):
    """Does EASY backfill more?"""

    traces: tuple = TRACES
    easy_reuse_extra: bool = False
    conservative_compress: str = "arrival"
    jobs: dict = field(default_factory=dict)
    estimates: dict = field(default_factory=dict)
    cm5_exact: bool = True
    shakes: int = repeats(20)
    shake_s: int = 60
    seed: int = 1
    model_loads: tuple = (0.5, 0.6, 0.7, 0.8, 0.9)
    model_jobs: int = 50_000
    model_seeds: int = 10
    feedback: bool = True

    @cached_property
    def logs(self):
        """The logs with their labels, as pairs; the CM-5 twice, if it is to be as the text describes it too."""
        logs = self.labelled
        if self.cm5_exact and "CM5" in dict(logs):
            (exact,), _ = traces(["CM5"], {"CM5": ""}, {"CM5": "exact"})
            logs.append(("CM5 exact", exact.workload))
        return logs

    @property
    def models(self):
        """By label, a function of a seed that makes the workload."""
        return {
            "Feitelson": lambda number: feitelson96.workload(self.model_jobs, seed=number),
            "Jann": lambda number: jann97.workload(self.model_jobs, seed=number),
        }

    def load(self):
        return {LOGS: [log for _, log in self.logs], MODELS: [make(self.seed) for make in self.models.values()]}

    @cached_property
    def results(self):
        """What is backfilled of each log, as it is and shaken."""
        return backfilling.runs(self.logs, self.shakes, self.shake_s, self.seed, self.rules)

    @cached_property
    def totals(self):
        """Both schedulers and the difference between them, by quantity, log and rule."""
        return backfilling.totals(self.results)

    @cached_property
    def by_size(self):
        """The share that is backfilled by log, rule and size class."""
        return named(backfilling.compared(self.results).drop(ALL, level="size_class"))

    @cached_property
    def modelled(self):
        """What is backfilled of several workloads of each model, by the rules followed."""
        seeds = range(self.seed, self.seed + self.model_seeds)
        followed = {name: self.rules[name] for name in SCHEDULERS}
        repeating = ["Feitelson"] if self.feedback else []
        return model_backfilling.runs(self.models, self.model_loads, seeds, followed, repeating)

    @cached_property
    def by_load(self):
        """Both schedulers and the difference between them, by quantity, model and load."""
        compared = partial(model_backfilling.compared, self.modelled)
        tables = {quantity: compared(quantity).xs(ALL, level="size_class") for quantity in model_backfilling.QUANTITIES}
        return pd.concat(tables, names=["quantity"])

    @property
    def jann_by_size(self):
        """The Jann model at the highest load, by size class."""
        return named(model_backfilling.compared(self.modelled).loc["Jann", self.model_loads[-1]])

    def judge(self):
        return backfilling.claims(self.totals) + model_backfilling.claims(self.modelled)

    def parts(self):
        labels = {"backfilled": "share of jobs backfilled", "size_ratio": "size of backfilled jobs\nover that of all"}
        by_load = {quantity: self.by_load.loc[quantity] for quantity in labels}
        return {
            "": Part(self.totals, lambda: pictures.backfilled_amounts(self.totals.loc["backfilled"])),
            "by_size": Part(self.by_size, lambda: pictures.backfilled_by_size(self.by_size)),
            "models": Part(self.by_load, lambda: pictures.backfilled_by_load(by_load, labels), on=(MODELS,)),
        }
