"""How good the users' estimates are on every log, and which earlier jobs tell it; nothing is simulated.

MF sections 3.3 and 4.1, Tang et al. sections 3.2 and 4. The criteria of OWN-28 to OWN-31 and of OWN-34 were written
down before these numbers were worked out. Known by then were of each log the median of R, its machine's size and the
share of its serial jobs; HPC2N's shares of R; accuracy by percentile on SDSC-SP2; and of the papers' own logs, and of
SDSC-DS, what this study says of MF-25 and TG-01 to TG-06.
"""

from functools import cached_property
from itertools import product

import pandas as pd

from ...policies.walltime import PERCENTILES
from ..exhibit import LOGS, Part
from ..parameters import PERCENTILE, RESAMPLES, SEED, parameter, some
from ..tang2013 import TRIPLE, Trace, accuracy, inaccuracy, printed
from ..used_shares import CLASSES, flatness, histogram, lines
from . import ENOUGH_ESTIMATES, OnMachines, deciding, of_adjusting, pictures
from .adjusted_estimates import LEAST_JOBS, STAND_IN
from .effects import of_change, of_level, table_of

CLAIMS = (*(f"OWN-{number}" for number in range(28, 32)), "OWN-34")

STEPS = {"project": "project", "user": "user", "user+project": "user and project", TRIPLE: "and estimate"}
"""Keys, each held against the one before that the log has, the first against all jobs; and titles."""

WITHOUT_PROJECTS = "user", TRIPLE
"""The keys of logs without projects: with the user in the project's place the last is user and estimate."""

FEWEST_PROJECTS = 10
"""Logs with fewer groups have no projects: HPC2N has three, and 98 % of its jobs are of one."""

SCHEMES = TRIPLE, "user"
"""Keys whose accuracy is drawn; in the first the user stands for the project where a log has none."""

BEST, OTHERS = 70, {100: "the maximum", 50: "the median"}
"""Which percentile is claimed to be the best, and against which."""

OF_SP2 = "CTC-SP2", "KTH-SP2", "SDSC-SP2"

SHARES = {"below half": "less than half", "below a fifth": "less than a fifth", "above 80 per cent": "more than 80 %"}
"""By part of TG-01, of what panels are."""


class Estimates(OnMachines, name="elsewhere/estimates", section="4.1", seconds=20, claims=dict.fromkeys(CLAIMS, LOGS)):
    """How good are users' estimates on other machines, and which earlier jobs tell how much of one will be used?"""

    taken = staticmethod(of_adjusting)
    with_partitions = True

    percentiles: tuple = parameter(PERCENTILES, some(PERCENTILE))
    resamples: int = parameter(300, RESAMPLES)
    seed: int = parameter(0, SEED)

    @cached_property
    def asked(self):
        """The logs with enough estimates, those jobs that have one: a list of Trace, with the groups as projects."""
        return [_asked(one) for one in self.found if one.estimated >= ENOUGH_ESTIMATES]

    @cached_property
    def of_users(self):
        """Those of them that know the users."""
        return [one for one in self.asked if (one.workload.jobs.user >= 0).any()]

    # Figure 8, and R

    @cached_property
    def lines(self):
        """The jobs that have an estimate, from `used_shares.lines`, by (log, line)."""
        found = {one.name: lines(one.workload).loc[one.workload.jobs.index] for one in self.asked}
        return pd.concat(found, names=["log"]) if found else None

    @cached_property
    def histogram(self):
        """The histograms of Figure 8 in per cent of each log's jobs, by (log, percent)."""
        if self.lines is None:
            return pd.DataFrame(columns=list(CLASSES), dtype=float)
        return histogram(self.lines, CLASSES)

    @cached_property
    def flat(self):
        """How flat they are, by log, from `flatness`, and whether that is `as_claimed`."""
        nothing = pd.DataFrame(columns=["ks", "zero", "hundred"], index=pd.Index([], name="log"), dtype=float)
        found = nothing if self.lines is None else flatness(self.lines)
        return found.assign(as_claimed=(found.ks < 0.1) & (found[["zero", "hundred"]] >= 2).all(axis=1))

    @cached_property
    def used(self):
        """The shares of TG-01 beside Intrepid's printed ones, with a bootstrap over users, by (part, log)."""
        paper, rows = printed("fig1"), {}
        for one in self.of_users:
            for part, of in inaccuracy.shares_used(one, self.resamples, self.seed).items():
                rows[part, one.name] = {"ours": of.value, "low": of.low, "high": of.high}
        table = table_of(rows, ["part", "log"], ["ours", "low", "high"]).astype(float)
        table["published"] = [paper[inaccuracy.SHARES[part]] for part, _ in rows]
        return table.assign(near=(table.ours - table.published).abs() <= deciding.NEAR)

    # Table 2 and Figure 4

    @cached_property
    def steps(self):
        """By how much R scatters less within groups by each key than by the one before, by (key, log), as effects."""
        rows = {(key, one.name): row for one in self.of_users for key, row in self._steps(one).items()}
        return table_of(rows, ["key", "log"])

    def _steps(self, trace):
        jobs = trace.workload.jobs
        keys = list(WITHOUT_PROJECTS if jobs.group.equals(jobs.user) else STEPS)
        found = inaccuracy.scatter_within(trace, LEAST_JOBS, self.resamples, self.seed)
        return {key: of_change(found[key], found[before]) for before, key in zip(["all", *keys], keys, strict=False)}

    @cached_property
    def accuracy(self):
        """Mean accuracy by percentile against the users' own, by (key, log, percentile), as effects; a bootstrap."""
        rows = {}
        for one in self.of_users:
            of = self._by_scheme[one.name]
            for key, percentile in product(SCHEMES, self.percentiles):
                rows[key, one.name, percentile] = of_change(of[key, percentile], of[accuracy.ORIGINAL[0], 100])
        return table_of(rows, ["key", "log", "percentile"])

    @cached_property
    def _by_scheme(self):
        """Mean accuracy by replication, by log tables of a column a (key, percentile)."""
        percentiles = list(dict.fromkeys([*self.percentiles, BEST, *OTHERS]))
        return {one.name: _accuracy(one, percentiles, self.resamples, self.seed) for one in self.of_users}

    @cached_property
    def best(self):
        """How much more accurate the 70th percentile is than others, by (other, log), as effects."""
        rows = {}
        for one in self.of_users:
            of = self._by_scheme[one.name]
            for other in OTHERS:
                rows[other, one.name] = of_change(of[TRIPLE, BEST], of[TRIPLE, other])
        return table_of(rows, ["other", "log"])

    # Which log speaks for what

    @cached_property
    def speaks(self):
        """What each log is like, and how near it is to the papers' machines: `about` and more, by log.

        `run` is the median run time in seconds, `size` the mean number of processors; `intrepid` the largest distance
        of the three shares of R from Intrepid's, `flat` that of the used shares from an even spread.
        """
        jobs = {one.name: one.workload.jobs for one in self.found}
        table = self.about.assign(
            run=pd.Series({log: of.run.median() for log, of in jobs.items()}, dtype=float),
            size=pd.Series({log: of.procs.mean() for log, of in jobs.items()}, dtype=float),
        )
        off = (self.used.ours - self.used.published).abs().groupby("log").max()
        return table.assign(intrepid=off.reindex(table.index), flat=self.flat.ks.reindex(table.index).astype(float))

    # What it shows

    def judge(self):
        steps = {key: self.whole(of_level(self.steps, key)) for key in self.steps.index.unique("key")}
        best = {f"70th against {name}": self.whole(of_level(self.best, other)) for other, name in OTHERS.items()}
        more = {name: of.effect for name, of in best.items()}
        goes_with = deciding.correlations(more, self.about[list(deciding.TRAITS)], seed=self.seed)
        return [
            deciding.as_figure8(self.whole(self.flat)),
            deciding.as_on_intrepid(self.whole(self.used)),
            deciding.every_step(steps),
            deciding.finding_on_most("OWN-31", best, 1, hangs=goes_with),
            deciding.of_sp2(self.whole(self.speaks), OF_SP2),
        ]

    def parts(self):
        return {
            "": Part(
                lambda: self.histogram,
                self._drawn(lambda: pictures.of_used(self.histogram, self.about, self.flat.as_claimed, STAND_IN)),
            ),
            "flat": Part(lambda: self.flat),
            "used": Part(lambda: self.used, self._drawn(self._used)),
            "keys": Part(lambda: self.steps, self._drawn(self._keys)),
            "percentiles": Part(lambda: self.accuracy, self._drawn(self._percentiles)),
            "best": Part(lambda: self.best, self._drawn(self._best)),
            "logs": Part(lambda: self.speaks),
        }

    @property
    def taking_part(self):
        return self.asked

    def _used(self):
        panels = {f"use {name}": self.used.loc[part] for part, name in SHARES.items()}
        return pictures.beside_printed(panels, self.about, deciding.NEAR, "share of the jobs", "Intrepid", STAND_IN)

    def _keys(self):
        panels = {title: of_level(self.steps, key) for key, title in STEPS.items()}
        said = pictures.SAID | {deciding.WITH: "less", deciding.AGAINST: "more"}
        against = "change of the mean standard deviation of R within groups, against the panel before; first: all jobs"
        return pictures.forest(panels, self.about, -1, against, STAND_IN, said, "no such key", pictures.OTHER_USERS)

    def _best(self):
        panels = {f"70th against {name}": of_level(self.best, other) for other, name in OTHERS.items()}
        against = "change of the mean accuracy"
        return pictures.forest(panels, self.about, 1, against, STAND_IN, bars=pictures.OTHER_USERS)

    def _percentiles(self):
        lines = {
            "user, project if any, estimate": of_level(self.accuracy, TRIPLE),
            "user": of_level(self.accuracy, "user"),
        }
        said = pictures.SAID | {deciding.WITH: "more accurate", deciding.AGAINST: "less accurate"}
        against = "mean accuracy against the users'"
        return pictures.of_effects(lines, self.about, 1, "percentile of earlier jobs", against, STAND_IN, said)


def _asked(machine):
    """Take the jobs of a log that have an estimate; its groups are projects, or its users where it has hardly any."""
    workload = machine.workload
    if machine.estimated < 1:
        workload = workload.select("requested_time > 0")
    if workload.jobs.group.nunique() < FEWEST_PROJECTS:
        workload = workload.derive(workload.jobs.assign(group=workload.jobs.user), "users for projects")
    return Trace(machine.name, workload, "group")


def _accuracy(trace, percentiles, resamples, seed):
    """Mean accuracy of the users' estimates and of schemes, from all earlier jobs: by replication."""
    found = accuracy.study([trace], SCHEMES, (None,), percentiles, least=LEAST_JOBS, resamples=resamples, seed=seed)
    table = found[trace.name].xs("accuracy", axis=1, level="metric")
    return table.droplevel(["window", "threshold"], axis=1)
