"""What the exhibits have in common that are made from the paper's traces."""

from functools import cached_property

import pandas as pd

from ..._util.fingerprint import identity
from ...analysis import cache
from ...analysis.replicate import replicate
from ...core.schedule import simulate
from .. import results
from ..claims import Measure
from ..exhibit import LOGS, Exhibit
from ..results import AS_IT_IS
from ..verdicts import RESTORED, TEXT
from . import WHOLE, labelled, own_trace, policies, traces

# Replications of the traces, which most exhibits need: as they are, and with submit times shaken.


BLOCK = 20
"""Runs that lie together: all numbers of shakes that the notebooks ask for are multiples of it."""

QUANTITIES = {
    "utilization": "load",
    "jobs": "jobs",
    "mean_wait": "wait_s",
    "mean_response": "response_s",
    "mean_bounded_slowdown": "bounded_slowdown",
}
"""The metrics of results, by the quantities of `Schedule.means`; MF call a machine's utilization its load."""


def replications(trace, policy, shakes, **settings):
    """Simulate as `wide`; gives a Series, by (replication, month, metric)."""
    table = wide(trace, policy, shakes, **settings)
    # As `stack` does, which takes a thousand times as long: every replication has the same months and metrics.
    levels = [table.index, table.columns.unique("month"), table.columns.unique("metric")]
    return pd.Series(table.to_numpy().ravel(), pd.MultiIndex.from_product(levels))


def wide(trace, policy, shakes, shake_s=60, seed=0, overrun="extend", estimates=None, as_it_is=True, executor=None):
    """Simulate a trace as it is and shaken, and work out the means of each month.

    Gives a DataFrame, a row a replication, columns by (month, metric): metrics are those of `QUANTITIES`,
    slowdown by MF's formula; the last month, WHOLE, has all jobs. A restored trace is nowhere as it is: for that
    stands the median of its replications.
    """
    jobs = cache.state_of(trace.workload), trace.lost.key if trace.restored else ()
    months = {name: (tuple(one.month_edges[0]), tuple(one.month_edges[1])) for name, one in trace.calendars.items()}
    key = *jobs, identity(policy), identity(estimates), months  # what runs hang on but their seeds
    block = cache.once(_block, "trace", "policy", "estimates", "executor")
    blocks = [
        block(key, trace, policy, min(BLOCK, seed + shakes - first), shake_s, first, overrun, estimates, executor)
        for first in range(seed, seed + shakes, BLOCK)
    ]
    runs = pd.RangeIndex(AS_IT_IS + 1, AS_IT_IS + 1 + shakes)
    found = [pd.concat([each[trace.calendar] for each in blocks]).set_axis(runs)] if blocks else []
    if as_it_is and trace.restored and found:
        found.insert(0, found[0].median().to_frame(AS_IT_IS).T)
    elif as_it_is:
        workload = trace.lost.drawn(seed) if trace.restored else trace.workload
        workload = workload.with_estimates(estimates(seed)) if estimates else workload
        months = trace.by_month_and_whole(simulate(workload, policy, overrun)).stack()
        found.insert(0, months.to_frame(AS_IT_IS).T)
    table = pd.concat(found).rename_axis(index="replication", columns=["month", "metric"])
    table = table.loc[:, table.columns.get_level_values("metric").isin(list(QUANTITIES))]
    return table.rename(columns=QUANTITIES, level="metric")


def of_rules(trace, policies, shakes, **settings):
    """Simulate a trace under several policies.

    Gives a Series, by (scheduler, rule, replication, month, metric).
    """
    found = {
        (scheduler, rule): replications(trace.under(rule), policy, shakes[rule], **settings)
        for (scheduler, rule), policy in policies.items()
    }
    return pd.concat(found, names=["scheduler", "rule"])


def means(results, metrics):
    """Take some metrics of the whole traces, without those of the months."""
    whole = results.xs(WHOLE, level="month")
    return whole[whole.index.get_level_values("metric").isin(list(metrics))]


def _block(key, trace, policy, runs, seconds, seed, overrun, estimates, executor):
    """Some runs; `key` stands for what is not looked at when they are looked for."""
    settings = {"shakes": runs, "seconds": seconds, "seed": seed, "overrun": overrun, "estimates": estimates}
    others = {"as_it_is": False, "keep": False, "executor": executor}  # they are kept as blocks
    return across(replicate(trace.workloads, policy, measures=trace.by_calendars, **settings, **others))


def across(runs):
    """Lay runs out with a row each: what else their index says, and the measures, in the columns."""
    tidy = runs.stack(future_stack=True)
    return tidy.unstack(list(range(1, tidy.index.nlevels)), sort=False)


DRAWS = 10
"""Of the logs that lost jobs, where nothing is simulated: what is counted hardly differs between them."""


class OnTraces(Exhibit):
    """An exhibit with the parameter `traces`, the paper's names.

    It may have `jobs` and `estimates`, as `mualem2001.traces` takes them; and `rules`, as `mualem2001.policies` does,
    with `shakes` under the first, which is shown at length, and `other_shakes` under the others. And `log`, the path of
    a log, or its name in the catalogue, to be taken in place of the paper's.
    """

    puts_back = False
    """Whether it puts lost jobs back, whatever its rules are."""

    @cached_property
    def _found(self):
        if self.own:
            return [own_trace(self.log)], []
        names = [self.traces] if isinstance(self.traces, str) else self.traces
        return traces(names, getattr(self, "jobs", None), getattr(self, "estimates", None))

    @property
    def found(self):
        """The traces that are on this machine, or their twins: a list of Trace."""
        return self._found[0]

    @property
    def missing(self):
        """The others, as text."""
        return [f"{setting['trace']}: {setting['log']}" for setting in self._found[1]]

    def is_absent(self, trace, month=WHOLE, **_):
        """Whether the log of a printed number, or one of its logs, is not on this machine."""
        return any(one["trace"] == trace and _covers(one["months"], month) for one in self._found[1])

    def origin(self, trace, month=WHOLE, **of):
        """Why a printed number is not judged, and what is missing from its log: options of `verdicts.cell`."""
        logs = [each for each in self.found if each.trace == trace and _covers(each.months, month)]
        origins = [each.origin(month, **of) for each in logs]
        unjudged = {rule: why for one in origins for rule, why in one["unjudged"].items()}
        return {"unjudged": unjudged, "note": "; ".join(one["note"] for one in origins if one["note"])}

    def against(self, table, printed):
        """Hold a table against the printed numbers, as `results.against`; those of absent logs stand there alone.

        Rows of logs for which a rule changes nothing, such as of those that lost no jobs, are left out.
        """
        places = printed.index.to_frame(index=False)
        alone = places[[self.is_absent(**place) for place in places.to_dict("records")]]
        if not alone.empty:
            rules = pd.DataFrame({"rule": table.index.unique("rule")}) if "rule" in table.index.names else None
            alone = alone if rules is None else alone.merge(rules, how="cross")
            table = table.reindex(table.index.append(alone.set_index(list(table.index.names)).index))
        for rule in table.index.unique("rule") if "rule" in table.index.names else []:
            others = {each.trace for each in self.found} - {each.trace for each in self.found if each.matters(rule)}
            table = table[~(table.index.isin([rule], level="rule") & table.index.isin(others, level="trace"))]
        return results.against(table, printed)

    @property
    def labelled(self):
        """Their workloads with their names, as pairs."""
        return labelled(self.found)

    def load(self):
        lost = [trace for trace in self.found if trace.lost] if self.restores else []
        restored = [trace.drawn(getattr(self, "seed", 0)).workload for trace in lost]
        return {LOGS: [trace.workload for trace in self.found] + restored}

    @property
    def restores(self):
        """Whether it puts lost jobs back: it has the rule, or always does, and a log here lost some."""
        does = self.puts_back or RESTORED in getattr(self, "rules", ())
        return does and any(trace.lost for trace in self.found)

    @property
    def settings(self):
        """How runs are shaken, as `replications` takes it."""
        return {"shakes": self.shakes, "shake_s": self.shake_s, "seed": self.seed}

    def drawn(self, seed):
        """This exhibit on one draw of the logs that lost jobs, as if that were the log."""
        other = type(self)(**self.parameters)
        vars(other)["_found"] = [trace.drawn(seed) for trace in self.found], self._found[1]
        return other

    @cached_property
    def draws(self):
        """This exhibit on several draws; none where no jobs are put back."""
        return [self.drawn(seed) for seed in range(DRAWS)] if self.restores else []

    @property
    def by_reading(self):
        """This exhibit on the logs as filed and on one draw of the restored ones, by rule."""
        return {TEXT: self} | ({RESTORED: self.drawn(self.seed)} if self.restores else {})

    def by_rule(self, id):
        """What was `measured` for a claim on the logs as filed, and over the draws of the restored ones, by rule."""
        restored = Measure.over([draw.measured[id] for draw in self.draws])
        return {TEXT: self.measured[id]} | ({RESTORED: restored} if restored else {})

    @property
    def followed(self):
        """The rules that make a difference."""
        return tuple(rule for rule in self.rules if any(trace.matters(rule) for trace in self.found))

    @property
    def policies(self):
        """Both schedulers by (scheduler, rule)."""
        return policies(self.followed)

    @property
    def counts(self):
        """How many shaken runs there are, by rule: `shakes` of the first, `other_shakes` of others."""
        return dict.fromkeys(self.rules, self.other_shakes) | {self.rules[0]: self.shakes}


def _covers(months, month):
    return month == WHOLE or months[0] <= month <= months[1]
