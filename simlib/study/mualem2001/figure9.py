"""Figure 9: estimates made from earlier runs of the same job (section 4.4), and what scheduling would make of them."""

from dataclasses import replace
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd

from ...analysis.stats import Interval
from ...core.estimates import Historical, did_not_complete
from ...policies.walltime import accuracy
from .. import results
from ..claims import NOTHING, PRINTED, Measure, decide
from ..exhibit import LOGS, Part
from ..parameters import SECONDS, SEED, one_of, parameter, real, repeats, some, some_of
from ..verdicts import LIKELY, RESTORED, TEXT, cell, published
from . import METRICS, TRACES, policies
from .on_traces import OnTraces, means, of_rules
from .shared_pictures import by_estimates, used_share
from .table2_figure8 import histogram

CLAIMS = ("MF-33", "MF-34", "MF-35", "MF-40")

COUNTS = ("jobs_not_killed", "jobs_with_history", "underestimated", "underestimated_with_history")
"""What the text counts; history is one earlier run or more: information is there."""

WITH_TWO = {COUNTS[1]: "jobs_with_two", COUNTS[3]: "underestimated_with_two"}
"""The same counts if history is two earlier runs or more, so that there is a standard deviation."""

KINDS = ("two or more earlier runs", "one earlier run", "none: whole workload")

USERS = "users' estimates"


class Figure9(OnTraces, name="mualem2001/figure9", section="4.4", seconds=20, claims=dict.fromkeys(CLAIMS, LOGS)):
    """Estimates from history."""

    trace: str = parameter("CTC", one_of(*TRACES))
    deviations: tuple = parameter((1.5, 3), some(real()))
    scatter_h: float = parameter(2, real(above=True))
    rules: tuple = parameter((TEXT, LIKELY, RESTORED), some_of((TEXT, LIKELY, RESTORED), first=(TEXT, LIKELY)))
    shakes: int = repeats(10)
    shake_s: int = parameter(60, SECONDS)
    seed: int = parameter(0, SEED)

    @property
    def traces(self):
        """The one trace that it is made from."""
        return self.trace

    @property
    def workload(self):
        """Its jobs."""
        return self.found[0].workload

    # The counts

    @cached_property
    def readings(self):
        """Section 4.4's counts by (reading of the text, quantity), beside the printed ones, by either sense of history.

        `lacking` is what the jobs that the file lacks would have to add.
        """
        ours = {name: counts(self.workload.jobs, *reading) for name, reading in readings(self.workload).items()}
        ours = pd.DataFrame(ours).T.rename_axis(index="reading", columns="quantity").stack().to_frame("ours")
        table = results.against(ours, self._printed)
        return table.assign(lacking=table.published - table.ours)

    @property
    def possible(self):
        """Whether the jobs that the file lacks can add what is lacking, by reading and by what is taken for history.

        That is nowhere negative or more than there are jobs, nor for those without history. The last column takes one
        earlier run for history where jobs are counted, and two where underestimated ones are.
        """
        lacking = self.readings.lacking.unstack("quantity").reindex(self.readings.index.unique("reading"))
        jobs, under = lacking[COUNTS[0]], lacking[COUNTS[2]]
        one, two = ([lacking[name] for name in names] for names in zip(*WITH_TWO.items(), strict=True))
        senses = {"one run or more": one, "two or more": two, "one, of underestimated ones two": [one[0], two[1]]}
        fits = {name: own.between(0, of) & (under >= own) & (of <= jobs) for name, (of, own) in senses.items()}
        return pd.DataFrame(fits).mul((under <= jobs) & (jobs <= self.found[0].lines_missing), axis=0)

    @property
    def _printed(self):
        """The printed counts, if it is their log."""
        numbers = published("mualem2001_section44").set_index("quantity").CTC
        numbers = pd.concat([numbers, *(numbers[[one]].rename(WITH_TWO) for one in WITH_TWO)])
        return numbers if self._is_papers else numbers[:0]

    @property
    def _is_papers(self):
        """Whether it is the log that the text counts."""
        return self.trace == "CTC" and not self.workload.stand_in

    @property
    def counted(self):
        """The counts by the reading that is shown, the first, with the printed ones where it is their log."""
        return self.readings.loc[self.readings.index[0][0]]

    @property
    def cells(self):
        """The verdicts on the printed counts, and on the same in per cent of the jobs that were not killed."""
        counted, printed, origin = self.counted.ours, self._printed, self.origin(self.trace)
        found = []
        for name in COUNTS if len(printed) else []:
            other = f"one earlier run or more; two or more: {counted[WITH_TWO[name]]:,}" if name in WITH_TWO else ""
            about = origin | {"note": "; ".join(filter(None, [other, origin["note"]]))}
            found.append(cell({"trace": "CTC", "quantity": name}, printed[name], self._readings(name), **about))
            if (share := f"{name}_pct") in printed:
                of = {"trace": "CTC", "quantity": share}
                found.append(cell(of, printed[share], self._readings(name, per_cent=True), decimals=1, **about))
        return found

    def _readings(self, name, per_cent=False):
        """A count, or what it is in per cent of the jobs that were not killed, of the log and of its draws."""
        counts = [each.counted.ours for each in (self, *self.draws)]
        ours, *drawn = (100 * one[name] / one[COUNTS[0]] if per_cent else one[name] for one in counts)
        spread = Interval.of(drawn, 1) if drawn else None
        return {TEXT: (ours, None)} | ({RESTORED: (spread.median, spread)} if spread else {})

    # The figure

    @cached_property
    def described(self):
        """The jobs that were not killed, by (estimates, job), the users' last: `submit`, `run`, `estimate` (seconds).

        `used` is 100 run / estimate, and 100 for jobs of no length with an estimate of none; `kind` is out of `KINDS`.
        """
        jobs, past = self.workload.jobs, Historical().past(self.workload.jobs)
        jobs = jobs.assign(kind=np.select([past.runs > 1, past.runs == 1], KINDS[:2], KINDS[2]))
        made = {f"mean + {d:g} standard deviations": Historical(d)(jobs) for d in self.deviations}
        tables = {name: jobs.assign(estimate=estimate) for name, estimate in made.items()} | {USERS: jobs}
        table = pd.concat(tables, names=["estimates"])[lambda table: ~did_not_complete(table)]
        used = (100 * table.run / table.estimate).where(table.estimate > 0, np.where(table.run > 0, np.inf, 100))
        return table[["submit", "run", "estimate", "kind"]].assign(used=used)

    @cached_property
    def histogram(self):
        """The histograms of Figure 9 by (estimates, percent), a column each of `KINDS`."""
        return histogram(self.described, KINDS, top=200)

    @cached_property
    def profile(self):
        """What they amount to, by estimates.

        The mean `accuracy`, the smaller over the larger of run time and estimate; the shares of jobs that used
        `under_10`, `over_50` to 100, and more than 100 per cent (`underestimated`); `uneven`, how far the jobs within
        0 to 100 per cent are from an even spread over its tenths (total variation distance, 0 is flat).
        """
        rows = {}
        for name, jobs in self.described.groupby("estimates", sort=False):
            tenths = np.histogram(jobs.used, 10, (0, 100))[0] / (jobs.used <= 100).sum()
            rows[name] = {
                "accuracy": accuracy(jobs.run, jobs.estimate).mean(),
                "under_10": (jobs.used < 10).mean(),
                "over_50": jobs.used.between(50, 100).mean(),
                "underestimated": (jobs.used > 100).mean(),
                "uneven": np.abs(tenths - 0.1).sum() / 2,
            }
        return pd.DataFrame(rows).T.rename_axis("estimates")

    @cached_property
    def wins(self):
        """In which months of submission historical estimates are more accurate on average than the users'."""
        jobs = self.described.assign(accuracy=accuracy(self.described.run, self.described.estimate))
        month = self.workload.calendar_month(jobs.submit)
        by_month = jobs.accuracy.groupby(["estimates", month]).mean().unstack("estimates")
        return by_month[self.profile.index[0]] > by_month[USERS]

    # Scheduling

    @cached_property
    def workloads(self):
        """The jobs with the users' estimates and with historical ones, of runs that had ended in the log's times."""
        made = {f"history {d:g} sd": Historical(d, ends=self.workload.ends) for d in self.deviations}
        return {"user": self.workload} | {name: self.workload.with_estimates(model) for name, model in made.items()}

    @cached_property
    def losses(self):
        """What killing jobs at their estimates costs, by estimates.

        How many jobs are `killed`, how many of them completed in the log, both also as shares of such jobs; and
        `work_lost`, the share of all processor-seconds that the latter used until they were killed.
        """
        rows = {}
        for name, workload in self.workloads.items():
            jobs, completed = workload.jobs, ~did_not_complete(workload.jobs)
            killed = jobs.run > jobs.estimate
            used = np.minimum(jobs.run, jobs.estimate.clip(lower=0)) * jobs.procs
            rows[name] = {
                "killed": killed.sum(),
                "killed_share": killed.mean(),
                "killed_completed": (killed & completed).sum(),
                "killed_completed_share": killed[completed].mean(),
                "work_lost": used[killed & completed].sum() / used.sum(),
            }
        return pd.DataFrame(rows).T.rename_axis("estimates")

    @cached_property
    def results(self):
        """The means with every kind of estimates, overruns extended or killed, and their relative `change`.

        By (quantity, overrun, estimates, scheduler, rule, replication, metric); the change is that against the users'
        estimates in the same replication.
        """
        program = policies([rule for rule in self.rules if rule != RESTORED])
        shakes = dict.fromkeys(self.rules, self.shakes)
        found = {}
        for overrun, (name, workload) in product(("extend", "kill"), self.workloads.items()):
            settings = {"shake_s": self.shake_s, "seed": self.seed, "overrun": overrun}
            trace = replace(self.found[0], workload=workload)
            found[overrun, name] = means(of_rules(trace, program, shakes, **settings), METRICS)
        found = pd.concat(found, names=["overrun", "estimates"])
        users = found.xs("user", level="estimates").reindex(found.index.droplevel("estimates"))
        return pd.concat({"mean": found, "change": found / users.to_numpy() - 1}, names=["quantity"])

    @cached_property
    def scheduling(self):
        """Their spread, by (quantity, scheduler, metric, overrun, estimates, rule)."""
        table = results.summary(self.results)
        return results.by(table, "quantity", "scheduler", "metric", "overrun", "estimates", "rule")

    @property
    def changes(self):
        """Lay out the changes against the users' estimates for reading, with their standard deviation."""
        table = self.scheduling.loc["change"].drop("user", level="estimates")
        text = results.written(table["mean"], "{:+.1%}") + " \u00b1 " + results.written(table.sd, "{:.1%}")
        return results.wide(text, "rule")

    # What it shows

    def judge(self):
        printed = published("mualem2001_section44").set_index("quantity").CTC
        of_all = Measure.exactly(printed[COUNTS[2]] / printed[COUNTS[0]])
        as_printed = {"MF-33": shares(printed), "MF-40": {"killed": of_all}}
        notes = {"MF-33": _of_two(self.counted.ours, printed), "MF-35": _described(self.profile)}
        return [
            decide(
                id,
                self.by_rule(id) | {PRINTED: as_printed.get(id)},
                notes.get(id, "") if self.measured[id] else "",
            )
            for id in CLAIMS
        ]

    @cached_property
    def measured(self):
        """What was measured, by claim and part; nothing on another log than the text's."""
        if not self._is_papers:
            return dict.fromkeys(CLAIMS)
        return {
            "MF-33": shares(self.counted.ours),
            "MF-34": cautious(self.profile) if len(self.deviations) > 1 else None,
            "MF-35": better(self.profile, self.wins),
            "MF-40": killed(self.losses),
        }

    def parts(self):
        return {
            "": Part(
                lambda: self.histogram,
                lambda: used_share(self.histogram, self.described, 3600 * self.scatter_h),
                cells=lambda: self.cells,
            ),
            "scheduling": Part(lambda: self.scheduling, self._draw_scheduling),
            "readings": Part(lambda: self.readings),
            "possible": Part(lambda: self.possible),
            "profile": Part(lambda: self.profile),
            "losses": Part(lambda: self.losses),
        }

    def _draw_scheduling(self):
        cases = {"extend": "overruns extended", "kill": "killed at the estimate"}
        names = {name: name.replace("history", "mean +") for name in self.workloads}
        return by_estimates(self.scheduling.loc["mean"].rename(cases, level="overrun"), names)


def readings(workload):
    """Ways to read section 4.4: by name, `Historical`, and whether the standard deviation is a sample's."""
    ended = {"ends": workload.ends}
    return {
        "earlier in the log, triple idle for a week": (Historical(), True),
        "... deviation with divisor n": (Historical(), False),
        "... killed jobs recorded too": (Historical(killed=True), True),
        "... a week since the triple's first run": (Historical(since="first"), True),
        "... that, and killed jobs recorded too": (Historical(since="first", killed=True), True),
        "... that, and divisor n": (Historical(since="first", killed=True), False),
        "... nothing discarded": (Historical(stale=np.inf), True),
        "ended before submission, triple idle for a week": (Historical(**ended), True),
        "... deviation with divisor n, ended before": (Historical(**ended), False),
        "... killed jobs recorded too, ended before": (Historical(killed=True, **ended), True),
        "... a week since the triple's first run, ended before": (Historical(since="first", **ended), True),
        "... nothing discarded, ended before": (Historical(stale=np.inf, **ended), True),
    }


def counts(jobs, model, sample=True):
    """Count section 4.4's jobs, with standard deviations of a `sample` (divisor n - 1) or with the divisor n."""
    past = model.past(jobs)
    narrow = [1, 1] if sample else [np.sqrt(1 - 1 / past[n].clip(lower=1)) for n in ("runs", "all_runs")]
    estimate = past["mean"] + model.deviations * narrow[0] * past["sd"]
    estimate = estimate.where(past["runs"] > 0, past["all_mean"] + model.deviations * narrow[1] * past["all_sd"])
    whole = ~did_not_complete(jobs)
    below = whole & (estimate < jobs.run) & (past["all_runs"] > 0)  # the first job has nothing to go by
    one, two = past["runs"] > 0, past["runs"] > 1
    numbers = whole, whole & one, below, below & one, whole & two, below & two
    return {name: int(of.sum()) for name, of in zip((*COUNTS, *WITH_TWO.values()), numbers, strict=True)}


# What the claims are about


def shares(counted):
    """Divide the counts of section 4.4: jobs with history, underestimated ones, and those of them with history."""
    jobs, history, under, own = counted[list(COUNTS)]
    parts = {"history": history / jobs, "underestimated": under / jobs, "half of them": own / under}
    return {part: Measure.exactly(value) for part, value in parts.items()}


def _of_two(counted, printed):
    jobs, under, history, own = counted[[COUNTS[0], COUNTS[2], *WITH_TWO.values()]]
    return (
        f"if history is two earlier runs or more, {own:,} ({own / under:.0%}) of the underestimated jobs have it, as "
        f"printed, but {history:,} ({history / jobs:.0%}) of all, in place of {printed[COUNTS[1]]:,.0f}"
    )


def cautious(profile):
    """Compare three standard deviations with one and a half."""
    change = profile.iloc[1] - profile.iloc[0]
    return {"fewer": Measure.exactly(change.underestimated), "flatter": Measure.exactly(change.uneven)}


def better(profile, wins):
    """Compare the profile of historical estimates with that of the users'."""
    own, user = profile.iloc[0], profile.iloc[-1]
    accuracy = Measure.share(wins.sum(), len(wins))
    return {"accuracy": accuracy, "used half": Measure.exactly(own.over_50 - user.over_50)}


def _described(profile):
    own, user = profile.iloc[0], profile.iloc[-1]
    return (
        f"mean accuracy {own.accuracy:.2f} against {user.accuracy:.2f}; {own.under_10:.0%} of the jobs use less than "
        f"10 % of the estimate against {user.under_10:.0%}; {own.underestimated:.1%} outlive it against "
        f"{user.underestimated:.1%}"
    )


def killed(losses):
    """Count the completed jobs that would be killed at historical estimates, and how many more than at the users'."""
    user, own = losses.killed_completed_share.iloc[:2]
    return {"killed": Measure.exactly(own), "than by users": Measure.exactly(own / user) if user else NOTHING}
