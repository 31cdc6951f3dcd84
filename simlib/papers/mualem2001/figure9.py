"""Figure 9: estimates made from earlier runs of the same job (section 4.4), and what scheduling would make of them."""

from dataclasses import replace
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd

from ...estimates import Historical, did_not_complete
from ...walltime import accuracy
from .. import results
from ..exhibit import LOGS, Part, repeats
from ..judging import LIKELY, NOT, PARTLY, REPRODUCED, TEXT, UNTESTED, cell, claim, decide, published, share_of_wins
from . import METRICS
from .on_traces import OnTraces
from .pictures import by_estimates, used_share
from .replications import means, of_rules
from .table2_figure8 import histogram, lines_absent

CLAIMS = ("MF-33", "MF-34", "MF-35", "MF-40")

COUNTS = ("jobs_not_killed", "jobs_with_history", "underestimated", "underestimated_with_history")
"""What the text counts; history is one earlier run or more."""

WITH_TWO = "underestimated_with_two"
"""With two earlier runs or more, so that there is a standard deviation at all."""

KINDS = ("two or more earlier runs", "one earlier run", "none: whole workload")

USERS = "users' estimates"


class Figure9(OnTraces, name="mualem2001/figure9", section="4.4", seconds=30, claims=dict.fromkeys(CLAIMS, LOGS)):
    """Estimates from history."""

    trace: str = "CTC"
    deviations: tuple = (1.5, 3)
    scatter_h: float = 2
    rules: tuple = (TEXT, LIKELY)
    shakes: int = repeats(10)
    shake_s: int = 60
    seed: int = 0

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
        """Section 4.4's counts by (reading of the text, quantity), beside the printed ones.

        `lacking` is what the jobs that the file lacks would have to add. It is `possible` that they do if it is
        nowhere negative or more than there are jobs, nor for those without history; one earlier run is not looked at.
        """
        ours = {name: counts(self.workload.jobs, *reading) for name, reading in readings(self.workload).items()}
        ours = pd.DataFrame(ours).T.rename_axis(index="reading", columns="quantity").stack().to_frame("ours")
        table = results.against(ours, self._printed)
        lacking = table.assign(lacking=table.published - table.ours).lacking
        jobs, history, under, _, two = (lacking.xs(name, level="quantity") for name in (*COUNTS, WITH_TWO))
        fits = two.between(0, history) & (under >= two) & (under <= jobs) & (history <= jobs)
        possible = fits & (jobs <= lines_absent(self.workload))
        return table.assign(lacking=lacking, possible=possible.reindex(table.index, level="reading"))

    @property
    def _printed(self):
        """The printed counts, if it is their log."""
        numbers = published("mualem2001_section44").set_index("quantity").CTC
        numbers[WITH_TWO] = numbers[COUNTS[3]]
        return numbers if self.workload.name == "CTC-SP2" else numbers[:0]

    @property
    def counted(self):
        """The counts by the reading that is shown, the first, with the printed ones where it is their log."""
        return self.readings.loc[self.readings.index[0][0]]

    @property
    def cells(self):
        """The verdicts on the printed counts."""
        notes = {COUNTS[1]: "one earlier run or more", WITH_TWO: "two or more earlier runs"}
        shown = zip(COUNTS, self.counted.loc[[*COUNTS[:3], WITH_TWO]].dropna().itertuples(), strict=False)
        return [
            cell({"trace": "CTC", "quantity": name}, int(row.published), row.ours, note=notes.get(row.Index, ""))
            for name, row in shown
        ]

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
        """In how many months of submission historical estimates are more accurate on average than the users'."""
        jobs = self.described.assign(accuracy=accuracy(self.described.run, self.described.estimate))
        month = self.workload.calendar_month(jobs.submit)
        by_month = jobs.accuracy.groupby(["estimates", month]).mean().unstack("estimates")
        own = by_month[self.profile.index[0]]
        return share_of_wins((own > by_month[USERS]).sum(), len(by_month))

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
        shakes = dict.fromkeys(self.rules, self.shakes)
        found = {}
        for overrun, (name, workload) in product(("extend", "kill"), self.workloads.items()):
            settings = {"shake_s": self.shake_s, "seed": self.seed, "overrun": overrun}
            trace = replace(self.found[0], workload=workload)
            found[overrun, name] = means(of_rules(trace, self.policies, shakes, **settings), METRICS)
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
        if self.workload.name != "CTC-SP2":
            return [claim(id, UNTESTED, "the CTC log is not at hand") for id in CLAIMS]
        return [_counts(self.counted), _three(self.profile), _profile(self.profile, self.wins), _feasible(self.losses)]

    def parts(self):
        return {
            "": Part(lambda: self.histogram, self._draw, cells=lambda: self.cells),
            "scheduling": Part(lambda: self.scheduling, self._draw_scheduling),
            "readings": Part(lambda: self.readings),
            "profile": Part(lambda: self.profile),
            "losses": Part(lambda: self.losses),
        }

    def _draw(self):
        return used_share(self.histogram, self.described, 3600 * self.scatter_h)

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
    numbers = whole, whole & (past["runs"] > 0), below, below & (past["runs"] > 0), below & (past["runs"] > 1)
    return {name: int(of.sum()) for name, of in zip((*COUNTS, WITH_TWO), numbers, strict=True)}


# Claims


def _counts(counted):
    """Both shares of the jobs within a percentage point, and 45 to 55 per cent of the underestimated have history."""
    jobs, history, under, own, two = counted.ours
    shares = counted[["ours", "published"]] / counted.loc[COUNTS[0], ["ours", "published"]]
    near = (shares.ours - shares.published).loc[[COUNTS[1], COUNTS[2]]].abs() <= 0.01
    half = 0.45 <= own / under <= 0.55
    verdict = REPRODUCED if near.all() and half else PARTLY if near.any() else NOT
    text = (
        f"of {jobs:,} jobs {history / jobs:.1%} have history, {under / jobs:.1%} are underestimated; of these "
        f"{own / under:.0%} have one earlier run or more, {two / under:.0%} two or more"
    )
    return claim("MF-33", verdict, text)


def _three(profile):
    """Fewer are underestimated, and the histogram is flatter."""
    few, many = profile.iloc[0], profile.iloc[1]
    text = (
        f"underestimated {few.underestimated:.1%} with 1.5, {many.underestimated:.1%} with 3 standard deviations; "
        f"distance of the tenths from an even spread {few.uneven:.2f} and {many.uneven:.2f}; mean accuracy "
        f"{few.accuracy:.2f} and {many.accuracy:.2f}"
    )
    return decide("MF-34", [many.underestimated < few.underestimated, many.uneven < few.uneven], text)


def _profile(profile, wins):
    """More accurate in more months than could be chance, and more jobs that use half of their estimate or more."""
    own, user = profile.iloc[0], profile.iloc[-1]
    text = (
        f"mean accuracy {own.accuracy:.2f} against {user.accuracy:.2f}, higher in {wins['wins']} of {wins['of']} "
        f"months; {own.over_50:.0%} of the jobs use 50 to 100 % of the estimate against {user.over_50:.0%}, "
        f"{own.under_10:.0%} less than 10 % against {user.under_10:.0%}; but {own.underestimated:.1%} outlive it "
        f"against {user.underestimated:.1%}"
    )
    return decide("MF-35", [wins["low"] > 0.5, own.over_50 > user.over_50], text)


def _feasible(losses):
    """Of the jobs that completed, more than a tenth would be killed, and more than twice as many as by users' own."""
    user, own = losses.killed_completed_share.iloc[:2]
    text = f"of the completed jobs {own:.1%} would be killed, with the users' estimates {user:.1%}"
    return claim("MF-40", REPRODUCED if own > 0.1 and own > 2 * user else NOT, text)
