"""What each policy is in Slurm: a setting, a script, a plugin, or nothing; settings as policies; what jobs waited for.

Read in github.com/SchedMD/slurm, tag slurm-26-05-3-1; `_SOURCES` has the files.
"""

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd

from simlib.analysis.cases import Case
from simlib.core.workload import Workload
from simlib.logs import sacct
from simlib.policies.conservative import SlurmBackfill
from simlib.policies.easy import FCFS
from simlib.policies.orders import DAY, Multifactor

from .facts import share


def short_limits_first(wait: float, estimate: float) -> float:
    """Rank jobs by the class of their limit; a day of waiting, up to seven, is worth a class."""
    return 3.0 - (estimate > 3600.0) - (estimate > 21600.0) - (estimate > 86400.0) + min(wait / 86400.0, 7.0)


SETTINGS: dict[str, Case] = {
    "Slurm, no backfilling": FCFS(),
    "Slurm, one reservation": SlurmBackfill(reservations=1, window=30 * DAY),
    "Slurm, five reservations": SlurmBackfill(reservations=5, window=30 * DAY),
    "Slurm, window of a month": SlurmBackfill(window=30 * DAY, depth=10_000),
    "Slurm, five jobs of a user": SlurmBackfill(per_user=5),
    "Slurm, small jobs first": SlurmBackfill(Multifactor(10_000, -10_000, 0, whole=True)),
    "Slurm, large jobs first": SlurmBackfill(Multifactor(10_000, 10_000, 0, whole=True)),
    "Slurm, short limits first": SlurmBackfill(short_limits_first),
}
"""Further settings of Slurm, by name: what an administrator can change today."""

MEANING = {
    "Slurm, no backfilling": "jobs start in order of arrival, and no job passes another",
    "Slurm, one reservation": "Slurm's backfill that plans one job only, the first that cannot start",
    "Slurm, five reservations": "Slurm's backfill that plans the first five jobs that cannot start",
    "Slurm, window of a month": "Slurm's backfill that plans up to 10,000 jobs, a month ahead",
    "Slurm, five jobs of a user": "Slurm's backfill that looks at five jobs of each user in a cycle",
    "Slurm, small jobs first": "Slurm's backfill with a queue by size, the smallest first, and by age",
    "Slurm, large jobs first": "Slurm's backfill with a queue by size, the largest first, and by age",
    "Slurm, short limits first": "Slurm's backfill with jobs in classes, limits of up to 1, 6 and 24 hours first; a "
    "day of waiting raises a job by a class",
}
"""What they do, in words for a page."""

_SOURCES = {
    "BF": "src/plugins/sched/backfill/backfill.c",
    "JS": "src/slurmctld/job_scheduler.c",
    "PM": "src/plugins/priority/multifactor/priority_multifactor.c",
    "FT": "src/plugins/priority/multifactor/fair_tree.c",
    "JL": "src/plugins/job_submit/lua/job_submit_lua.c",
    "man": "slurm.conf(5)",
}


class Way(NamedTuple):
    """How Slurm does what a policy does.

    Attributes
    ----------
    by : str, "setting", "script", "plugin" or "cannot"
    text : str, the setting or what there is to write
    source : str, a key of `_SOURCES` and perhaps a line
    nearest : str, the setting that comes nearest without a script; "" if the way is a setting itself
    """

    by: str
    text: str
    source: str
    nearest: str = ""


NEEDS = {"script": "a 20-line script", "plugin": "a plugin in C"}
"""What there is to write, in short."""

_COSTS = {
    "script": "It is a script of some 20 lines in job_submit.lua, run at each submission and modification; all jobs "
    "need a time limit (job_submit/require_timelimit).",
    "plugin": "It is a plugin in C, called at each PriorityCalcPeriod, a minute at best, or a cron job with `scontrol "
    "update`; Slurm ships an empty example.",
}

_LUA = (
    "a job_submit/lua script sets site_factor to a large number minus {} (weights 0, PriorityType=priority/multifactor)"
)
_ONE = "SchedulerParameters=bf_job_part_count_reserve={}, bf_window at least the longest wait of the head"
_SHARE = (
    "PriorityWeightFairshare with PriorityWeightAge, PriorityFlags=NO_FAIR_TREE; by default users are ranked instead"
)
_QOS = (
    "QOS with MaxWall=1:00:00, 6:00:00, 24:00:00 and none, Priority=3, 2, 1 and 0; PriorityWeightQOS=30000, "
    "PriorityWeightAge=70000, PriorityMaxAge=7-0"
)
_BUILTIN = "SchedulerType=sched/builtin, PriorityType=priority/basic"
_ONE_ORDER, _BOTH = "one order holds for the head and for who passes it", "WFP by a plugin, limits by a script"
_CLASSES_FIRST, _FIRST, _ALL = "Slurm, short limits first", "Slurm, one reservation", "Slurm, window of a month"
_PREDICTED = (
    "a job_submit/lua script sets time_min to {}, with SchedulerParameters=time_min_as_soft_limit (since 23.11); the "
    "history comes from outside"
)
_ADJUSTED = _PREDICTED.format("the adjusted limit")

WAYS = {
    **dict.fromkeys(["EASY", "Slurm, one reservation"], Way("setting", _ONE.format(1), "BF 2672, 3738")),
    **dict.fromkeys(["five reservations", "Slurm, five reservations"], Way("setting", _ONE.format(5), "BF 2672, 3738")),
    **dict.fromkeys(["FCFS", "Slurm, no backfilling"], Way("setting", _BUILTIN, "JS 1152, 2178")),
    **dict.fromkeys(["EASY-SJBF", "EASY, smallest area"], Way("cannot", _ONE_ORDER, "BF 2383", _CLASSES_FIRST)),
    **dict.fromkeys(["EASY, adjusted estimates", "EASY, all adjusted"], Way("script", _ADJUSTED, "BF 1604", _FIRST)),
    **dict.fromkeys(
        ["EASY, WFP, adjusted estimates", "EASY, WFP, all adjusted"], Way("plugin", _BOTH, "PM 552", _FIRST)
    ),
    "conservative": Way(
        "setting",
        "bf_window=43200, bf_max_job_test above the longest queue, bf_node_space_size twice that; nothing is promised: "
        "each cycle plans anew",
        "BF 2303, 3633",
    ),
    "EASY, shortest first": Way("script", _LUA.format("the time limit"), "JL 1030", _CLASSES_FIRST),
    "EASY, WFP": Way("plugin", "the priority changes with the wait", "PM 552", "Slurm, large jobs first"),
    "fair share": Way("setting", _SHARE, "PM 1743"),
    "fair share by group": Way("setting", f"{_SHARE}; shares=parent for users, so that accounts count", "PM 1743"),
    "Slurm's backfill": Way("setting", "SchedulerType=sched/backfill, all weights of priority 0", "BF 2217"),
    "Slurm's backfill, fair share": Way("setting", f"SchedulerType=sched/backfill; {_SHARE}", "PM 1743"),
    "EASY, best fit": Way("cannot", "jobs are tried one after another in the order of priority", "BF 2383", _FIRST),
    "EASY, largest": Way("cannot", _ONE_ORDER, "BF 2383", _FIRST),
    "EASY, lookahead": Way("cannot", "no step looks at several jobs together", "BF 2383", _FIRST),
    "EASY++": Way("script", _PREDICTED.format("the mean of the user's last two run times"), "BF 1604", _FIRST),
    "EASY, reusing extra processors": Way("cannot", "who is planned is not delayed within a cycle", "BF 3090", _FIRST),
    "two reservations": Way("setting", _ONE.format(2), "BF 2672, 3738"),
    "all reservations": Way(
        "setting", "the default; bf_window=43200, bf_max_job_test above the longest queue", "BF 2217"
    ),
    "selective": Way("setting", "bf_min_age_reserve: a plan after some wait, not at a slowdown", "BF 2638", _ALL),
    "selective, adaptive": Way("plugin", "bf_min_prio_reserve with the slowdown as site factor", "BF 2634", _ALL),
    "conservative, by start": Way("cannot", "each cycle plans anew, by priority", "BF 2303", _ALL),
    "EASY, exact estimates": Way("cannot", "users would have to know run times", "BF 2160", _FIRST),
    "EASY, doubled estimates": Way("script", "a job_submit/lua script doubles time_limit", "JL 1030", _FIRST),
    "Slurm, window of a month": Way(
        "setting", "SchedulerParameters=bf_window=43200,bf_max_job_test=10000,bf_node_space_size=20000", "BF 3633, 3758"
    ),
    "Slurm, five jobs of a user": Way("setting", "SchedulerParameters=bf_max_job_user=5", "BF 1730"),
    "Slurm, small jobs first": Way(
        "setting", "PriorityWeightJobSize=10000, PriorityFavorSmall=YES, PriorityWeightAge=10000", "PM 2130"
    ),
    "Slurm, large jobs first": Way(
        "setting", "PriorityWeightJobSize=10000, PriorityFavorSmall=NO, PriorityWeightAge=10000", "PM 2130"
    ),
    "Slurm, short limits first": Way("setting", _QOS, "PM 2106, man"),
}
"""How Slurm does what each policy of a page does."""


def how(policy: str) -> str:
    """Say how Slurm does the same as a policy of `simlib_report.POLICIES`, or what is nearest; "" for another policy.

    Examples
    --------
    >>> how("five reservations")
    'setting: SchedulerParameters=bf_job_part_count_reserve=5, bf_window at least ... (backfill.c, 2672, 3738).'
    """
    if (way := WAYS.get(policy)) is None:
        return ""
    key, _, line = way.source.partition(" ")
    said = f"{way.by}: {way.text} ({_SOURCES[key].rpartition('/')[2]}{', ' * bool(line)}{line})"
    costs = f". {_COSTS[way.by]}" if way.by in _COSTS else "."
    nearest = f" The nearest setting is {way.nearest}: {WAYS[way.nearest].text}." if way.nearest else ""
    return said + costs + nearest


def nearest(policies: Iterable[str]) -> dict[str, Case]:
    """Find the settings that come nearest to policies without a script, so that they can be simulated themselves."""
    names = dict.fromkeys(WAYS[name].nearest for name in policies if name in WAYS and WAYS[name].nearest)
    return {name: SETTINGS[name] for name in names}


# What jobs waited for, by sacct's Reason and Flags

_KINDS = {
    "limits": r"QOS|Assoc|Max\w*Limit|PartitionTimeLimit|PartitionNodeLimit|JobArrayTaskLimit",
    "licences or burst buffers": "Licenses|BurstBuffer",
    "nodes that were down or reserved": r"ReqNodeNotAvail|Reservation|\w*Down|NodesDown|Nodes required|Maint",
    "other jobs, a time or a hold": r"Dependency|BeginTime|JobHeld\w*|Deadline|DependencyNeverSatisfied",
}
"""How the names of reasons begin, by what jobs waited for."""

_TURN = "their turn and processors"
_OTHER = "other reasons"


def waited_for(workload: Workload) -> pd.DataFrame | None:
    """Count what the jobs of a Slurm log waited for, by the last reason other than priority and resources.

    Returns
    -------
    DataFrame or None
        By what they waited for: `jobs`, their share `of_jobs` and the share of their recorded waits `of_waits`, and the
        most frequent `reasons`. None where sacct's Reason was not exported.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 5, 2))
    >>> log = pd.DataFrame({"wait": [0, 9], "reason": [-1, 1], "partition": -1}, w.jobs.index)
    >>> w = simlib.Workload(w.jobs, 4, log=log, header=[" Reason: 1 QOSMaxJobsPerUserLimit"])
    >>> waited_for(w)["of_waits"].to_dict()
    {'limits': 1.0, 'their turn and processors': 0.0}
    """
    if workload.log is None or "reason" not in workload.log:
        return None
    known, log = sacct.names(workload)["reason"], workload.log.loc[workload.jobs.index, ["reason", "wait"]]
    reasons = log.reason.map(lambda number: known.get(int(number), "?" if number >= 0 else ""))
    kind = pd.Series(_OTHER, log.index).mask(reasons == "", _TURN)
    for name, begins in _KINDS.items():
        kind = kind.mask(reasons.str.match(begins), name)
    wait = log.wait.clip(lower=0)
    rows = {
        name: {
            "jobs": int((kind == name).sum()),
            "of_jobs": float((kind == name).mean()),
            "of_waits": float(wait[kind == name].sum() / wait.sum()) if wait.sum() else 0.0,
            "reasons": ", ".join(reasons[(kind == name) & (reasons != "")].value_counts().index[:3]),
        }
        for name in [*_KINDS, _OTHER, _TURN]
        if (kind == name).any()
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def waited_for_said(workload: Workload) -> str:
    """Say which share of the jobs waited for limits and the like, and so not for the policy; "" if it is not known."""
    table = waited_for(workload)
    if table is None:
        return ""
    others = table.drop(index=_TURN, errors="ignore")
    if others.empty:
        return "By sacct's Reason no job waited for a limit: all waited for their turn and processors."
    parts = [
        f"{share(row.of_jobs)} of the jobs, with {share(row.of_waits)} of the recorded waits, for {name} "
        f"({row.reasons})"
        for name, row in others.iterrows()
    ]
    return f"Not all waited for the policy, by sacct's Reason: {'; '.join(parts)}. Look at these before policies."


def started_by(workload: Workload) -> dict[str, float] | None:
    """Find which share of the jobs each scheduler started, "main", "backfill" or "submit"; None without sacct's Flags.

    The share of `Schedule.jobs.backfilled` under `simlib.SlurmBackfill` should be near that of "backfill".

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 5, 2))
    >>> started_by(simlib.Workload(w.jobs, 4, log=pd.DataFrame({"started_by": [1, 2]}, w.jobs.index)))
    {'main': 0.5, 'backfill': 0.5, 'submit': 0.0}
    """
    if workload.log is None or "started_by" not in workload.log:
        return None
    by = workload.log.started_by.loc[workload.jobs.index]
    return {name: float((by == number).mean()) for name, number in sacct.STARTED_BY.items()}
