"""Why a scheduler does what it does: every decision of a policy, with its rule, and why a job waited.

The policies are written here once more, in plain Python, to be read beside the papers' pseudo-code: `fcfs`, `easy`,
`conservative`. What they decide is what the compiled ones of `simlib.engine` decide, job by job.
"""

from ..schedule import simulate
from .records import Decision, Explanation, Span, Waiting, record
from .replay import replay, scheduler
from .waiting import decided, why

__all__ = ["Decision", "Explanation", "Span", "Waiting", "decided", "explain", "why"]

LIMIT = 500
"""The most jobs that `explain` takes."""


def explain(workload, policy, overrun="extend"):
    """Every decision of a policy on a small workload.

    Parameters
    ----------
    workload : Workload
        Of up to some 200 jobs; at most `LIMIT`.
    policy : FCFS, EASY without adjusted estimates, or Conservative
    overrun : {"extend", "kill"}
        As in `simlib.simulate`.

    Returns
    -------
    Explanation
        A sequence of `Decision`, whose attribute `schedule` is what `simlib.simulate` returns.

    Raises
    ------
    ValueError
        For too many jobs, a policy that is not known here, or what `simlib.simulate` refuses.
    """
    scheduler(policy)  # refuses those that are not known here
    if len(workload) > LIMIT:
        raise ValueError(
            f"{workload.name}: explain: found {len(workload):,} jobs, expected at most {LIMIT:,}; select some first, "
            "such as workload.select('submit < 86400'), or ask simlib.explain.why(schedule, job) about one of them"
        )
    schedule = simulate(workload, policy, overrun)
    return Explanation(record(*replay(schedule)), schedule)
