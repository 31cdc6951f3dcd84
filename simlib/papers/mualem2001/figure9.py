"""Figure 9 and section 4.4 as one exhibit: estimates from history. `history` does the work."""

from functools import cached_property

from ...estimates import Historical
from ..exhibit import LOGS, Part, repeats
from . import history, pictures
from .on_traces import OnTraces

CLAIMS = ("MF-33", "MF-34", "MF-35", "MF-40")


class Figure9(OnTraces, name="mualem2001/figure9", section="4.4", seconds=30, claims=dict.fromkeys(CLAIMS, LOGS)):
    """Estimates from history."""

    trace: str = "CTC"
    deviations: tuple = (1.5, 3)
    scatter_h: float = 2
    shakes: int = repeats(10)
    shake_s: int = 60
    seed: int = 0
    easy_reuse_extra: bool = False
    conservative_compress: str = "arrival"

    @property
    def traces(self):
        """The one trace that it is made from."""
        return self.trace

    @property
    def workload(self):
        """Its jobs."""
        return self.found[0].workload

    @cached_property
    def readings(self):
        """Section 4.4's counts by each reading of the text, from `history.candidates`."""
        return history.candidates(self.workload)

    @cached_property
    def counts(self):
        """The same by the reading that is shown, from `history.counts`."""
        return history.counts(self.workload.jobs, Historical(self.deviations[0]))

    @cached_property
    def cells(self):
        """The verdicts on the printed counts."""
        return history.cells(self.counts, self.workload)

    @cached_property
    def described(self):
        """The jobs that were not killed, under each kind of estimates, from `history.described`."""
        return history.described(self.workload.jobs, self.deviations)

    @cached_property
    def histogram(self):
        """The histograms of Figure 9, from `history.figure9`."""
        return history.figure9(self.described)

    @cached_property
    def profile(self):
        """What they amount to, from `history.profile`."""
        return history.profile(self.described)

    @cached_property
    def wins(self):
        """In how many months historical estimates are more accurate, from `history.months_more_accurate`."""
        ours, *_, users = self.described.values()
        return history.months_more_accurate(self.workload, ours, users)

    @cached_property
    def workloads(self):
        """The jobs with each kind of estimates, from `history.kinds_of_estimates`."""
        return history.kinds_of_estimates(self.workload, self.deviations)

    @cached_property
    def losses(self):
        """What killing jobs at their estimates costs, from `history.losses`."""
        return history.losses(self.workloads)

    @cached_property
    def results(self):
        """Every simulation, from `history.runs`."""
        return history.runs(self.workloads, range(self.seed, self.seed + self.shakes), self.shake_s, self.rules)

    @cached_property
    def scheduling(self):
        """Their means with each kind of estimates, from `history.summary`."""
        return history.summary(self.results)

    def judge(self):
        return history.claims(self.workload, self.counts, self.profile, self.wins, self.losses)

    def parts(self):
        return {
            "": Part(self.histogram, self._draw_histograms, cells=self.cells),
            "scheduling": Part(self.scheduling, self._draw_scheduling),
            "readings": Part(self.readings),
            "profile": Part(self.profile),
            "losses": Part(self.losses),
        }

    def _draw_histograms(self):
        return pictures.used_share(self.histogram, self.described, 3600 * self.scatter_h)

    def _draw_scheduling(self):
        labels = {"response_s": "mean response time [s]", "bounded_slowdown": "mean bounded slowdown"}
        cases = {"extend": "overruns extended", "kill": "killed at the estimate"}
        names = {name: name.replace("history", "mean +") for name in self.workloads}
        return pictures.by_estimates(self.scheduling.rename(cases, level="overrun"), labels, names)
