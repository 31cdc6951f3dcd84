"""Answer whether another policy would help: the decision, who gains, who loses, how sure, compared with what.

This module takes the decision and finds its numbers; the sentences are in `answer.html.j2`. Every number in them also
stands in a table of the page.
"""

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from simlib._util.words import difference, time
from simlib.analysis.cases import Case
from simlib.analysis.comparison import Comparison
from simlib.core.schedule import Schedule
from simlib.core.workload import Workload
from simlib.policies.easy import FCFS

from . import facts, in_slurm, losses
from .policies import called as by_number
from .policies import sure

TEMPLATES = Environment(
    loader=PackageLoader("simlib_report", "."),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)

QUESTIONS = {
    "decision": "Decision",
    "gains": "Who gains",
    "loses": "Who loses",
    "certain": "How sure",
    "against": "Compared with",
}
"""The questions of the lines, by the names of the macros that answer them."""

_MEAN: Any = ("all", "all", "wait", "mean")

_WORTH = 0.01
"""A gain below this share of the mean wait is none, and a loss below it is not told."""


_NEARLY_ALL = 0.9
"""Of a partition with a larger share of the jobs nothing is said beside what is said of all jobs."""


def answer(
    workload: Workload,
    made: Mapping[str, Schedule],
    found: Comparison | None,
    decision: Mapping[str, Any],
    called: Callable[[str, str], str] = by_number,
) -> dict[str, Markup]:
    """Answer in five lines, by the questions that they answer.

    `made` has the recorded schedule and those of the cases on the unchanged log, `found` their comparison, `decision`
    the result of `decided`; `called` says how to call a group.
    """
    base, policy, explained = decision["base"], decision["policy"], facts.explained(made, decision["base"])
    told: dict[str, Any] = {
        "time": time,
        "share": facts.share,
        "explained": None if explained is None else explained.loc["all"],
        "part": _least_explained(explained, called),
        "recorded": facts.recorded_use(workload, made),
        "runs": found.settings["shakes"] + 1 if found else 0,
        "without": facts.unrequested(workload),
        "nouns": (),
        "late": None,
    } | dict(decision)
    if found and policy:
        told |= _for_whom(found, policy, called)
        told["late"] = _late(made, base, policy, decision["allowed"])
    module: Any = TEMPLATES.get_template("answer.html.j2").make_module(told)
    return {question: Markup(" ".join(getattr(module, line)().split())) for line, question in QUESTIONS.items()}


def decided(
    workload: Workload,
    made: Mapping[str, Schedule],
    found: Comparison | None,
    base: str,
    cases: Mapping[str, Case],
    what_ifs: Collection[str] = (),
    allowed: float = losses.ALLOWED,
    of_slurm: bool = False,
) -> dict[str, Any]:
    """Decide: the `kind` of the decision, the `policy` that it is about, if any, and what gets `worse` with it.

    `what_ifs` are the cases that are no policies, and so are not recommended; `allowed` is by how many per cent a
    measure may get worse. Of a cluster with Slurm a setting comes before what there is to write, with the policy that
    gains `more` if there is one, and what Slurm cannot do is not recommended.
    """
    refused = losses.refusals(made, base, allowed) if base in made else {}
    others = [name for name in (found.others if found else ()) if name not in what_ifs]
    by = {name: in_slurm.WAYS[name].by if of_slurm else "" for name in others}
    refused |= {name: ["Slurm cannot"] for name in others if by[name] == "cannot" and name not in refused}
    kind, policy = _kind(workload, made, found, base, cases, what_ifs, refused, by)
    told: dict[str, Any] = {"kind": kind, "policy": policy, "base": base, "allowed": allowed, "worse": []}
    told |= {"by": by.get(policy or "", ""), "more": None, "needs": in_slurm.NEEDS}
    told["tempting"] = {name: what for name, what in refused.items() if kind == "yes" and _tempts(found, name, policy)}
    if base in made:
        wait = made[base].column("wait")
        told |= {"base_wait": float(wait.mean()), "waiting": float((wait > 0).mean())}
    if found:
        told["base_wait"] = float(found.table.loc[(found.others[0], *_MEAN), "base"])
    if found and policy:
        row: Any = found.table.loc[(policy, *_MEAN), :]
        told["before"], told["after"] = _both(row.base, row.value)
        told["held"] = sure(found.shown.loc[(policy, *_MEAN), :])
        writing = [name for name in found.others if by.get(name) not in in_slurm.NEEDS or told["by"] != "setting"]
        if kind == "yes" and (more := best(found, [*refused, *writing])) and _tempts(found, more, policy):
            gained: Any = found.table.loc[(more, *_MEAN), "value"]
            told["more"] = more, time(gained), by[more]
        told["worse"] = _worse(made, base, policy, allowed if kind == "starves" else 100 * _WORTH)
    return told


def _kind(
    workload: Workload,
    made: Mapping[str, Schedule],
    found: Comparison | None,
    base: str,
    cases: Mapping[str, Case],
    what_ifs: Collection[str],
    refused: Mapping[str, list[str]],
    by: Mapping[str, str],
) -> tuple[str, str | None]:
    """The kind of the decision, and the policy that it is about."""
    if not len(workload):
        return "no job", None
    policies = [] if found is None else [name for name in found.others if name not in what_ifs]
    without = [name for name in policies if facts.too_few_estimates(workload) and not isinstance(cases.get(name), FCFS)]
    safe = None if found is None else best(found, [*what_ifs, *refused, *without], by)
    if facts.unexplained(facts.explained(made, base)):
        return "unexplained", safe
    if base in made and not facts.has_queue(made[base]):
        return "no queue", None
    if found is None or not policies:
        return "no second policy", None
    if without and not safe:
        return "no estimates", None
    if safe:
        held = sure(found.shown.loc[(safe, *_MEAN), :])
        return {"another year": "yes", "unknown": "short"}.get(held, "this log"), safe
    if tempting := best(found, what_ifs):
        return "cannot" if refused[tempting] == ["Slurm cannot"] else "starves", tempting
    chance = any(sure(found.shown.loc[(name, *_MEAN), :]) == "coincidence" for name in policies)
    return "chance" if chance else "keep", None


def _tempts(found: Comparison | None, name: str, policy: str | None) -> bool:
    """Whether a policy that is refused has a shorter mean wait than the one that is recommended."""
    assert found is not None
    return bool(found.table.loc[(name, *_MEAN), "difference"] < found.table.loc[(policy, *_MEAN), "difference"])


def best(found: Comparison, but: Collection[str] = (), by: Mapping[str, str] = MappingProxyType({})) -> str | None:
    """Choose the policy that shortens the mean wait most, among those that surely shorten it by one per cent or more.

    A policy that also shortens it in another year comes before all that may not, and then a setting of Slurm before
    what there is to write (`by`: see `in_slurm.Way`); those in `but` do not count.
    """
    rows = {policy: found.shown.loc[(policy, *_MEAN), :] for policy in found.others if policy not in but}
    held = {policy: sure(row) for policy, row in rows.items()}
    better = [
        policy
        for policy, row in rows.items()
        if row.difference <= -_WORTH and held[policy] not in ("equal", "coincidence")
    ]
    return min(
        better,
        key=lambda policy: (held[policy] != "another year", by.get(policy) in in_slurm.NEEDS, rows[policy].difference),
        default=None,
    )


def _worse(made: Mapping[str, Schedule], base: str, policy: str, least: float) -> list[tuple[str, str, str]]:
    """What gets worse, with both values for a sentence; the longest wait comes first."""
    if base not in made or policy not in made:
        return []
    grown = losses.grown(made[base], made[policy], least)
    grown.sort(key=lambda each: each[0] != losses.LONGEST)
    written = [
        (what, *((facts.share(before), facts.share(after)) if what == losses.LATE else _both(before, after)))
        for what, before, after in grown
        if what != losses.MEAN
    ]
    return [each for each in written if each[1] != each[2]]


def _both(before: float, after: float) -> tuple[str, str]:
    """Two times for a sentence: the first without its unit, if both have the same."""
    first, second = time(before), time(after)
    (number, unit), other = first.split(), second.split()[1]
    return number if unit.rstrip("s") == other.rstrip("s") else first, second


def _for_whom(found: Comparison, policy: str, called: Callable[[str, str], str]) -> dict[str, Any]:
    """The users, or sizes, that surely gain and lose, most affected first, of how many."""
    by = next((by for by in ("user", "size") if by in found.by), None)
    if by is None:
        return {}
    table = found.who(policy, by)
    clear = table[~table.holds.isin(["coincidence", "equal"])].sort_values("difference")
    named = [(called(by, str(name)), difference(row.difference)) for name, row in clear.iterrows()]
    gains = int((clear.difference < 0).sum())
    nouns = ("user", "users") if by == "user" else ("class of sizes", "classes of sizes")
    return {"gain": named[:gains], "lose": named[gains:][::-1], "of": len(table), "nouns": nouns}


def _late(made: Mapping[str, Schedule], base: str, policy: str, allowed: float) -> tuple[str, str, str] | None:
    """The jobs by request, or else by size, whose late waits grow most: who they are, and their waits."""
    if base not in made or policy not in made:
        return None
    pair = {base: made[base], policy: made[policy]}
    for table in (losses.by_request(pair), losses.by_size(pair)):
        if most := losses.most_lost(table, base, policy, allowed):
            return most[0], *_both(most[2], most[1])
    return None


def _least_explained(table: pd.DataFrame | None, called: Callable[[str, str], str]) -> Any:
    """The partition of whose recorded waits most is missing in the simulation, if there are several."""
    if table is None or len(table) == 1:
        return None
    missing = ((table.recorded - table.simulated) * table.jobs).drop("all")
    part: Any = missing.idxmax()
    if table.jobs[part] > _NEARLY_ALL * table.jobs["all"]:
        return None
    return called("partition", str(part)), table.loc[part]


def when(workload: Workload) -> str:
    """Tell from which month to which the jobs were submitted, in brackets."""
    if workload.start is None or not len(workload):
        return ""
    first, last = (workload.time(second) for second in workload.jobs.submit.iloc[[0, -1]])
    if (first.year, first.month) == (last.year, last.month):
        return f" ({first:%B %Y})"
    return f" ({first:%B}{'' if first.year == last.year else f' {first:%Y}'} to {last:%B %Y})"
