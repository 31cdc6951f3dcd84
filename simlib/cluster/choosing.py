"""Choose policies by name."""

import math
from collections.abc import Iterable, Mapping

import pandas as pd

from ..comparing.paired import Case
from ..estimates import Scaled
from ..policies import EASY, FCFS, Conservative, Multifactor, Selective
from ..walltime import Adjustment, Scheme
from ..workload import Workload

SCHEME = Scheme(key="user+estimate", window="1 month", percentile=85, threshold=0.5)
"""Tang's adjustment with what every log of a cluster has: similar are jobs of one user with the same request."""

_SELECTIVE, _ALL = Adjustment(SCHEME, running=False), Adjustment(SCHEME)

POLICIES: dict[str, Case] = {
    "EASY": EASY(),
    "conservative": Conservative(),
    "FCFS": FCFS(),
    "EASY, shortest first": EASY(order="sjf"),
    "EASY, WFP": EASY(order="wfp"),
    "fair share": EASY(order=Multifactor()),
    "fair share by group": EASY(order=Multifactor(account="group")),
    "EASY-SJBF": EASY(backfill="sjf"),
    "EASY, best fit": EASY(backfill="best-fit"),
    "EASY, largest": EASY(backfill="largest"),
    "EASY, smallest area": EASY(backfill="smallest area"),
    "EASY, lookahead": EASY(backfill="lookahead"),
    "EASY++": EASY.plus_plus(),
    "EASY, reusing extra processors": EASY(reuse_extra=True),
    "two reservations": EASY(reservations=2),
    "five reservations": EASY(reservations=5),
    "all reservations": EASY(reservations=math.inf),
    "selective": Selective(2),
    "selective, adaptive": Selective("adaptive"),
    "conservative, by start": Conservative("start"),
    "EASY, exact estimates": (EASY(), "exact"),
    "EASY, doubled estimates": (EASY(), Scaled(2)),
    "EASY, adjusted estimates": EASY(adjust=_SELECTIVE),
    "EASY, all adjusted": EASY(adjust=_ALL),
    "EASY, WFP, adjusted estimates": EASY(order="wfp", adjust=_SELECTIVE),
    "EASY, WFP, all adjusted": EASY(order="wfp", adjust=_ALL),
}
"""By name. *Adjusted estimates* are used for the order of the queue and for backfilling (Tang's selective adjustment),
*all adjusted* ones for running jobs, too (his regular one).

*Fair share* is a queue ordered by age and by what a user, or group, has had of late, as Slurm does it: see
`simlib.Multifactor`. A number of *reservations* is how many waiting jobs have one, which Maui calls RESERVATIONDEPTH;
*selective* ones go to the jobs that have become slow. All are in `docs/policies.md`."""


def chosen(names: Iterable[str]) -> dict[str, Case]:
    """Choose policies by their names in `POLICIES`; the first is what the others are held against.

    Raises
    ------
    ValueError
        For none, or an unknown name; the message lists the known ones.

    Examples
    --------
    >>> list(chosen(["conservative", "EASY"]))
    ['conservative', 'EASY']
    """
    names = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in names if name not in POLICIES]
    if unknown or not names:
        found = ", ".join(map(repr, unknown)) or "none"
        raise ValueError(f"policies: found {found}, expected some of {', '.join(map(repr, POLICIES))}")
    return {name: POLICIES[name] for name in names}


def usable(workload: Workload, cases: Mapping[str, Case]) -> tuple[dict[str, Case], list[str]]:
    """Leave out the policies that need what the log does not have.

    Returns
    -------
    cases : dict
    sentences : list of str
        Of what is left out, and why.

    Examples
    --------
    >>> w = Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 8, 2))
    >>> kept, sentences = usable(w, chosen(["EASY", "EASY, adjusted estimates"]))
    >>> list(kept), sentences
    (['EASY'], ['EASY, adjusted estimates: left out, for the log does not say whose the jobs are.'])
    """
    why = {name: why_not_usable(workload, case) for name, case in cases.items()}
    kept = {name: case for name, case in cases.items() if not why[name]}
    return kept, [f"{name}: left out, for {reason}." for name, reason in why.items() if reason]


def why_not_usable(workload: Workload, case: Case) -> str:
    """Tell why a policy cannot be used on a log: it needs users, groups or estimates; "" where it can.

    Examples
    --------
    >>> w = Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 8, 2))
    >>> why_not_usable(w, POLICIES["fair share"]), why_not_usable(w, POLICIES["EASY-SJBF"])
    ('the log does not say whose the jobs are', '')
    """
    if getattr(case, "adjust", None):
        return why_not_adjusted(workload)
    order = getattr(case, "order", None)
    if not isinstance(order, Multifactor) or not len(workload):
        return ""
    if (workload.jobs[order.account] >= 0).any():
        return ""
    return (
        "the log does not say whose the jobs are"
        if order.account == "user"
        else "the log does not say of which group the jobs are"
    )


def why_not_adjusted(workload: Workload) -> str:
    """Tell why estimates cannot be adjusted, "" where they can.

    Examples
    --------
    >>> import simlib
    >>> why_not_adjusted(simlib.load("sample"))
    ''
    """
    if not len(workload):
        return "no job takes part"
    if not (workload.jobs.user >= 0).any():
        return "the log does not say whose the jobs are"
    return "" if requested(workload).any() else "the log has no estimates"


def requested(workload: Workload) -> pd.Series:
    """Tell which jobs have a request in the log, by the index of the jobs.

    Without a log all have, unless every estimate is the run time: then there may have been none.

    Examples
    --------
    >>> requested(Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 5, 2))).to_list()
    [True, True]
    """
    jobs = workload.jobs
    if workload.log is not None:
        return workload.log.requested_time.loc[jobs.index] > 0
    return pd.Series(bool((jobs.estimate != jobs.run).any()), jobs.index)
