"""Explain the decisions of a scheduler: each decision of a policy with its rule, and why a job waited.

The policies in plain Python decide (`simlib.plain`); this room listens, and puts their decisions into words. `rules`
has the sentences. `listening` makes a schedule again, from its beginning or from the middle. `records` keeps each
decision with the state at that instant. `replay` explains why a job waited, or why two schedules differ.
"""

from ..core.schedule import Policy, simulate
from ..core.workload import Workload
from .listening import check
from .records import Decision, Explanation, Span, Waiting, record
from .replay import decided, first_difference, why

__all__ = ["Decision", "Explanation", "Span", "Waiting", "decided", "explain", "first_difference", "why"]

LIMIT = 500
"""The most jobs that `explain` takes."""


def explain(workload: Workload, policy: Policy, overrun: str = "extend") -> Explanation:
    """List every decision of a policy on a small workload.

    Parameters
    ----------
    workload : Workload
        With up to about 200 jobs; at most `LIMIT`.
    policy : FCFS, EASY, Conservative, Selective, SlurmBackfill or OwnPolicy
        With all their options.
    overrun : {"extend", "kill"}
        As in `simlib.simulate`.

    Returns
    -------
    Explanation
        A sequence of `Decision`; its attribute `schedule` is the result of `simlib.simulate`.

    Raises
    ------
    ValueError
        For too many jobs, a policy that is not known here, and the errors of `simlib.simulate`.

    Examples
    --------
    >>> import simlib
    >>> one = simlib.Workload.of("one job", 4, A=(0, 10, 10, 3))
    >>> print(explain(one, simlib.FCFS()))
    Explanation of one job under FCFS(): 3 decisions
              0  Job A (3 processors, estimate 10 s) arrives: 4 processors are free.
              0  Job A starts from the head of the queue: it needs 3 of the 4 free processors.
             10  Job A ends: 4 processors are free. Nobody waits.
    """
    check(policy)
    if len(workload) > LIMIT:
        raise ValueError(
            f"{workload.name}: explain: found {len(workload):,} jobs, expected at most {LIMIT:,}; select some first, "
            "such as workload.select('submit < 86400'), or ask simlib.explain.why(schedule, job) about one of them"
        )
    schedule = simulate(workload, policy, overrun)
    return Explanation(record(schedule), schedule)
