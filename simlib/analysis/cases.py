"""Cases of a comparison: a policy, and optionally changes of the log, its estimates, its jobs or its machine."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..core import estimates
from ..core.schedule import Policy, check_policy, is_own, simulate
from ..core.workload import Workload
from ..policies.orders import Multifactor

Case = Policy | tuple
"""A policy; or a tuple of a policy and changes, which are made one after another.

A change is the name of estimates, a model of them, or a function that makes another workload of one.
"""


class Made(NamedTuple):
    """Hold the policy and the workload of a case on a log, and a description of both."""

    name: str
    said: str
    policy: Policy
    workload: Workload


def policy_of(case: Case) -> Policy:
    """Give the policy of a case."""
    policy: Any = case[0] if isinstance(case, tuple) and case else case
    return policy


def made(workload: Workload, name: str, case: Case, seed: int = 0) -> Made:
    """Make the workload of a case, and the policy for it; a model that draws estimates has the seed.

    ValueError, with the name of the case, if a change gives no workload, or a workload without jobs of the log or with
    other jobs.
    """
    policy, *changes = case if isinstance(case, tuple) else (case,)
    changed, said = workload, [str(policy)]
    for change in changes:
        before = len(changed.history)
        if is_estimates(change):
            changed = changed.with_estimates(change, seed)
            said.append(f"estimates: {change}")
        else:
            changed = change(changed)
            said += getattr(changed, "history", ())[before:]
        if not (isinstance(changed, Workload) and len(changed) and changed.jobs.index.isin(workload.jobs.index).all()):
            raise ValueError(
                f"{workload.name}: {name}: found {changed!r}, expected jobs of the log: a policy, or a policy and "
                "changes, each a name such as 'exact' or a function that makes a workload of one and keeps the jobs' "
                "labels"
            )
    if is_own(policy) and hasattr(policy, "prepare"):  # once for all runs
        policy = policy.prepare(changed.jobs)
    return Made(name, ", ".join(said), policy, changed)


def why_not_usable(workload: Workload, case: Case) -> str:
    """Tell why a policy cannot be used on a log: it needs users, groups or estimates; "" if it can be used."""
    policy = policy_of(case)
    if not len(workload):
        return ""
    if getattr(workload, "gpus", 0) and not _schedules_gpus(workload, policy):
        return "not made for jobs with GPUs"
    if getattr(policy, "adjust", None):
        return _why_not_adjusted(workload)
    order = getattr(policy, "order", None)
    if not isinstance(order, Multifactor) or (workload.jobs[order.account] >= 0).any():
        return ""
    return f"the log does not say {'whose' if order.account == 'user' else 'of which group'} the jobs are"


def _schedules_gpus(workload: Workload, policy: Policy) -> bool:
    """Whether a policy schedules GPUs; it tries the job that needs most."""
    try:
        simulate(workload.select(workload.jobs.index == workload.jobs.gpus.idxmax()), policy)
    except ValueError:
        return False
    return True


def _why_not_adjusted(workload: Workload) -> str:
    """Tell why estimates cannot be adjusted, "" if they can."""
    if not len(workload):
        return "no job takes part"
    if not (workload.jobs.user >= 0).any():
        return "the log does not say whose the jobs are"
    return "" if estimates.requested(workload).any() else "the log has no estimates"


def is_estimates(change: Any) -> bool:
    """Tell whether a change is the name of estimates, or a model of them."""
    return isinstance(change, str) or estimates.is_model(change)


def named(where: str, policies: object, least: int = 1) -> dict[Any, Any]:
    """Give cases by name: those of a dict, or those of a list, each called as it is written, such as EASY()."""
    if isinstance(policies, list):
        names = [", ".join(map(_called, case if isinstance(case, tuple) else (case,))) for case in policies]
        if len({*names}) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"{where}: found {twice} twice in policies, expected different names: {_BY_NAME}")
        policies = dict(zip(names, policies, strict=True))
    if not (isinstance(policies, Mapping) and len(policies) >= least):
        expected = f"{_BY_NAME}, or a list" + f", with at least {least}" * isinstance(policies, Mapping)
        raise ValueError(f"{where}: found policies={policies!r}, expected {expected}")
    for case in policies.values():
        check_policy(where, policy_of(case))
    return dict(policies)


_BY_NAME = "a dict by name, such as {'EASY': simlib.EASY(), ...}"


def _called(part: Any) -> str:
    """Call a policy or a change as it is written; a function by its name, an object without a text by its class."""
    kind: Any = type(part)
    written = (kind.__str__, kind.__repr__) != (object.__str__, object.__repr__)
    return getattr(part, "__name__", str(part) if written else kind.__name__)
