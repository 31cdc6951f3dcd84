"""Figure 11: the accuracy of single jobs (section 4.2.4)."""

from functools import cached_property

import pandas as pd

from ..exhibit import LOGS, Part
from . import KEY_NAMES, STAND_INS, TRIPLE, accuracy, accuracy_claims, pictures
from .on_traces import OnTraces


class Figure11(OnTraces, name="tang2013/figure11", section="4.2.4", seconds=20, claims={"TG-12": LOGS}):
    """How is the accuracy of single jobs distributed?"""

    trace: tuple = STAND_INS
    window: str | None = "1 month"
    threshold: float | None = 0.5
    resamples: int = 1000
    seed: int = 1

    @cached_property
    def _cumulative(self):
        schemes = {"window": self.window, "threshold": self.threshold}
        return accuracy.cumulative(self.found, **schemes, resamples=self.resamples, seed=self.seed)

    @property
    def curves(self):
        """The distributions, from `accuracy.cumulative`."""
        return self._cumulative[0]

    @property
    def table(self):
        """Their means, medians and so on."""
        return self._cumulative[1]

    @property
    def samples(self):
        """The medians of each resample."""
        return self._cumulative[2]

    @cached_property
    def settings(self):
        """Median accuracy with the triple key, by window, threshold, trace and line."""
        found = {}
        for window, threshold in ((None, None), (None, 0.5), ("1 month", None), ("1 month", 0.5)):
            _, table, _ = accuracy.cumulative(self.found, (TRIPLE,), window, threshold, resamples=1)
            medians = table["median"].droplevel("key").unstack("line", sort=False)
            found[window or "all", f"{threshold or 'none'}"] = medians
        return pd.concat(found, names=["window", "threshold"])

    def judge(self):
        return accuracy_claims.distribution(self.found, self.table, self.samples)

    def parts(self):
        cells = accuracy.cells_figure11(self.found, self.table)
        return {
            "": Part(self.table, lambda: pictures.accuracy_distribution(self.curves, KEY_NAMES), cells=cells),
            "settings": Part(self.settings),
        }
