"""Orders of a queue: compiled functions that rank jobs; the job with the largest value is the first.

A function gets facts by the names of its parameters, in any order; all are floats:

| fact | what it is | unit |
| --- | --- | --- |
| `wait` | how long the job has waited | s |
| `estimate` | its expected run time: the user's, or the adjusted or predicted one | s |
| `procs` | its processors | processors |
| `submit` | when it was submitted, by the log's clock | s |
| `now` | the present second, by the log's clock | s |
| `user` | its user, as in the jobs table; -1 where not known | number |
| `group` | its group, likewise | number |
| `queue` | its queue, likewise | number |
| `usage` | its user's recent use of the machine (see `simlib.Multifactor`) | equal shares |
| `fair_share` | 2 ** -usage: 1 for no use, 1/2 for an equal share | 0 to 1 |
| `machine` | the processors of the machine | processors |
| `free` | the free processors | processors |
| `extra` | when jobs are backfilled: the processors that the head will leave free at the shadow time | processors |
| `window` | when jobs are backfilled: the time until the shadow time | s |

A parameter by another name needs a default, which it keeps: `def f(wait, procs, weight=2.0)`. A parameter by the name
of a fact gets the fact, with or without a default.
"""

import difflib
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import FunctionType
from typing import Any, NoReturn, no_type_check

import numpy as np

from .._util import checks
from .._util.cache import identity
from .._util.compiled import MISSING, WAITING, CFunc, NotReady, numba, pointer
from .._util.compiled import compiled as compile_and_keep
from ..engine.ranking import Rise
from .user_functions import guarded, in_python, plain, raised_in

DAY = 86400


@dataclass(frozen=True)
class Multifactor:
    """Order a queue by a weighted sum of age, size and fair share, as Slurm's multifactor priority does.

    The priority of a job is `age` x min(wait / max_age, 1) + `procs` x processors / machine + `fair_share` x 2 **
    -usage. The usage of the job's account is counted in processor-seconds up to this second; half of it is forgotten in
    each half-life. It is given in multiples of an equal share of the usage of all accounts of the workload. So the last
    factor is 1 for an account that has used nothing, and 1/2 for an account that has used an equal share. Slurm updates
    usage every five minutes; here it is exact in each scheduling pass. All jobs of unknown accounts belong to one
    account.

    Parameters
    ----------
    age, procs, fair_share : float
        Weights; `procs` is the weight of the size. Only their ratios count. A `procs` below zero favours small jobs
        (Slurm's PriorityFavorSmall).
    max_age_days : float
        A longer wait does not raise the priority further. Slurm's default is seven days.
    half_life_days : float
        Slurm's default is seven days (PriorityDecayHalfLife).
    account : str
        The account whose use counts: "user" or "group".
    per_minute : bool
        Whether the size is divided by the estimate in minutes, of at least 1 (SMALL_RELATIVE_TO_TIME of PriorityFlags).
    whole : bool
        Whether the priority is cut to a whole number of at least 1, as in Slurm, where weights are whole numbers: so
        jobs of nearly the same priority start in order of arrival. Of a `procs` below zero -`procs` is added before, as
        PriorityFavorSmall does.

    Raises
    ------
    ValueError
        For weights that are no numbers, times that are not above zero, an unknown account.

    References
    ----------
    Slurm Workload Manager, "Multifactor Priority Plugin" (PriorityType=priority/multifactor, the classic fair share);
    src/plugins/priority/multifactor/priority_multifactor.c, tag slurm-26-05-3-1: size, 2130 to 2195; cut, 624 and 755.

    Examples
    --------
    Users 1 and 2 wait for user 1's first job. User 2 has used nothing yet, and comes first.

    >>> import simlib
    >>> rows = {"submit": [0, 1, 2], "run": 10, "procs": 4, "user": [1, 1, 2]}
    >>> import pandas as pd
    >>> w = simlib.Workload(pd.DataFrame(rows), 4)
    >>> simlib.simulate(w, simlib.EASY(order=simlib.Multifactor())).jobs.start.to_list()
    [0, 20, 10]
    """

    age: float = 1.0
    procs: float = 0.0
    fair_share: float = 1.0
    max_age_days: float = 7.0
    half_life_days: float = 7.0
    account: str = "user"
    per_minute: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        weight, days = checks.number("a number"), checks.number("a number of days above 0", above=0)
        checks.settings(self, age=weight, procs=weight, fair_share=weight, max_age_days=days, half_life_days=days)
        checks.settings(self, account=checks.one_of("user", "group"), per_minute=checks.FLAG, whole=checks.FLAG)

    @property
    def half_life_s(self) -> float:
        """The half-life in seconds."""
        return float(self.half_life_days) * DAY

    @property
    def function(self) -> Callable[..., float]:
        """The order, as a function of the facts that it reads."""
        age_weight, procs_weight, share_weight = float(self.age), float(self.procs), float(self.fair_share)
        max_age, cut, per_minute = float(self.max_age_days) * DAY, bool(self.whole), bool(self.per_minute)
        favour_small = max(-procs_weight, 0.0)

        def multifactor(wait: float, estimate: float, procs: float, fair_share: float, machine: float) -> float:
            size = procs_weight * procs / machine
            if per_minute:
                size /= max(estimate / 60.0, 1.0)
            priority = age_weight * min(wait / max_age, 1.0) + size + share_weight * fair_share
            return max(math.floor(priority + favour_small), 1.0) if cut else priority

        return multifactor


@dataclass(frozen=True)
class Thresholded:
    """Order a queue by another order, but put jobs that have waited too long first, in order of arrival.

    Parameters
    ----------
    order : str or callable
        A name or a function, as for `simlib.EASY`; the order of all other jobs.
    seconds : float
        A job that has waited longer is starved, and passes jobs that are not.

    Raises
    ------
    ValueError
        For an order that is neither, such as a `Multifactor`, whose age has the same effect; for a time below zero.

    References
    ----------
    J. Lelong, V. Reis and D. Trystram, "Tuning EASY-backfilling queues", 2018: the abstract, and Reis's simulator,
    github.com/freuk/ocst, src/easy.ml, lines 42 to 60 (commit ec6a9ea). There, jobs that have waited longer than the
    threshold go first, in order of arrival. This holds for the order of the queue, not for that of backfilling.

    Examples
    --------
    The second job needs the whole machine. Narrower jobs would pass it for ever, but after 5 seconds it is the head.

    >>> import simlib
    >>> w = simlib.Workload.of("narrow ones pass", 4, A=(0, 9, 9, 4), B=(1, 9, 9, 4), C=(3, 9, 9, 3), D=(11, 9, 9, 3))
    >>> for order in ("smallest area", simlib.Thresholded("smallest area", 5)):
    ...     print(simlib.simulate(w, simlib.FCFS(order=order)).jobs.start.to_list())
    [0, 27, 9, 18]
    [0, 9, 18, 27]
    """

    order: str | Callable[..., float]
    seconds: float

    def __post_init__(self) -> None:
        if isinstance(self.order, Multifactor | Thresholded):
            raise ValueError(f"Thresholded: found order={self.order!r}, expected a name or a function")
        check(self.order, where="Thresholded: order")
        checks.settings(self, seconds=checks.number("a number of seconds of at least 0", least=0, most=math.inf))

    @property
    def function(self) -> Callable[..., float]:
        """The order, as a function of the other order's facts and the wait: infinite for starved jobs."""
        rank = ORDERS[self.order] if isinstance(self.order, str) else in_python(self.order)
        defaults = {name: one.default for name, one in inspect.signature(rank).parameters.items()}
        told = ", ".join(name if name in FACTS else f"default_{name}" for name in defaults)
        facts = ", ".join(dict.fromkeys(["wait", *asked_for(rank)]))
        line = f"lambda {facts}: first if wait > seconds else bounded(rank({told}))"
        names: dict[str, Any] = {"rank": rank, "bounded": _bounded, "first": math.inf, "seconds": float(self.seconds)}
        names |= {f"default_{name}": default for name, default in defaults.items()}
        thresholded: Callable[..., float] = eval(line, names)  # for numba wants to see the parameters
        return thresholded


_LARGEST = float(np.finfo(float).max)


def _bounded(rank: float) -> float:
    """Limit a rank to finite numbers, so that only starved jobs have an infinite one."""
    return _LARGEST if rank > _LARGEST else rank


Order = str | Callable[..., float] | Multifactor | Thresholded
"""A name in `ORDERS`, a function of `FACTS`, or what has one."""

FACTS = tuple("wait estimate procs submit now user group queue usage fair_share machine free extra window".split())
"""What a function may ask for by the names of its parameters, all floats: see `simlib.policies.orders`."""

THREE = "wait", "estimate", "procs"
"""Those that the kernels tell an order which asks for no other."""

GIVEN = tuple(fact for fact in FACTS if fact != "submit")
"""Those that the kernels tell an order which asks for more, in this order."""

MADE_OF = {fact: fact for fact in GIVEN} | {"submit": "now - wait"}
"""Each fact as an expression of what the kernels tell."""

MEANT = {"size": "procs", "width": "procs", "nodes": "procs", "cores": "procs", "cpus": "procs", "s": "procs"}
MEANT |= {"run": "estimate", "runtime": "estimate", "arrival": "submit", "time": "now", "t": "now"}
"""Which fact somebody may mean by another word, where it does not begin like it."""

ONLY_BACKFILL = "extra", "window"
"""Those that are known only when jobs are backfilled."""

CHANGING = "wait", "now", "usage", "fair_share", "free"
"""Those of an order of the queue that change while a job waits."""


def _arrival(wait: float, estimate: float, procs: float) -> float:
    return 0.0


def _shortest_job_first(wait: float, estimate: float, procs: float) -> float:
    return -estimate


def _wfp(wait: float, estimate: float, procs: float) -> float:
    return (wait / max(estimate, 1.0)) ** 3 * procs


def _largest(wait: float, estimate: float, procs: float) -> float:
    return procs


def _smallest_area(wait: float, estimate: float, procs: float) -> float:
    return -procs * estimate


def _expansion_factor(wait: float, estimate: float, procs: float) -> float:
    return (wait + estimate) / max(estimate, 1.0)


def _unicef(wait: float, estimate: float, procs: float) -> float:
    return wait / (max(math.log2(procs), 1e-15) * max(estimate, 1.0))  # of one processor: before all that are wider


def _f1(estimate: float, procs: float, submit: float) -> float:
    return -(math.log10(max(estimate, 1.0)) * procs + 870.0 * math.log10(max(submit, 1.0)))


def _f2(estimate: float, procs: float, submit: float) -> float:
    return -(math.sqrt(estimate) * procs + 2.56e4 * math.log10(max(submit, 1.0)))


def _f3(estimate: float, procs: float, submit: float) -> float:
    return -(estimate * procs + 6.86e6 * math.log10(max(submit, 1.0)))


def _f4(estimate: float, procs: float, submit: float) -> float:
    return -(estimate * math.sqrt(procs) + 5.30e5 * math.log10(max(submit, 1.0)))


def _best_fit(procs: float, estimate: float, window: float) -> float:
    return procs * min(estimate, window)


ORDERS = {
    "fcfs": _arrival,
    "sjf": _shortest_job_first,
    "smallest area": _smallest_area,
    "wfp": _wfp,
    "unicef": _unicef,
    "expansion factor": _expansion_factor,
    "f1": _f1,
    "f2": _f2,
    "f3": _f3,
    "f4": _f4,
}
"""Orders of the queue: see `docs/reference/policies.md` for what each is, and where it comes from."""

FIXED = "fcfs", "sjf", "smallest area", "f1", "f2", "f3", "f4"
"""Those of them that rank a job once and for all."""

BACKFILL = {
    "arrival": _arrival,
    "sjf": _shortest_job_first,
    "best-fit": _best_fit,
    "largest": _largest,
    "smallest area": _smallest_area,
    "expansion factor": _expansion_factor,
}
"""Orders in which those who may pass the head are tried: see `simlib.EASY`."""

_TYPICAL = 60.0, 3600.0, 8.0, 7140.0, 7200.0, 7.0, 2.0, 1.0, 1.0, 0.5, 128.0, 16.0, 4.0, 1800.0
TYPICAL = dict(zip(FACTS, _TYPICAL, strict=True))
"""A job for which functions are tried."""

EXPECTED = "a function of facts, such as (wait, estimate, procs), that returns a number"

_TYPES = {facts: f"float64({', '.join(['float64'] * len(GIVEN if facts else THREE))})" for facts in (False, True)}
"""The signatures of an order that is told three numbers, and of one that is told all facts."""

_TYPES_FOR_QUEUE = {
    facts: f"void({', '.join(['float64'] * numbers + ['float64[::1]'] * arrays)})"
    for facts, numbers, arrays in ((False, 1, 4), (True, 3, 9))
}
"""Those of a function that ranks all jobs of a queue."""

_compiled: dict[tuple, CFunc] = {}  # functions of others, by all that they hang on


def check(order: Order, known: dict[str, Callable] = ORDERS, where: str = "EASY: order") -> None:
    """Check that `order` is a known name, or a function that reads only `FACTS`; ValueError if it is neither.

    `known` has the orders by name (`ORDERS` or `BACKFILL`); `where` is the owner of the setting, for the message.
    """
    if isinstance(order, str) and order in known:
        return
    policy, setting = where.split(": ")
    expected = f"expected one of {', '.join(map(repr, known))} or {EXPECTED}"
    function = in_python(order)
    if not isinstance(function, FunctionType):  # no class, partial or object: they have no code
        raise ValueError(f"{policy}: found {setting}={order!r}, {expected}")
    try:
        asked = asked_for(function)
    except TypeError as error:
        raise ValueError(f"{where} {_name(order)!r} {error}") from None
    if known is ORDERS and (early := [fact for fact in asked if fact in ONLY_BACKFILL]):
        raise ValueError(
            f"{where} {_name(order)!r} asks for {early[0]}, which is known only when jobs are backfilled; expected "
            f"some of {', '.join(fact for fact in FACTS if fact not in ONLY_BACKFILL)}"
        )


def asked_for(order: Order, known: dict[str, Callable] = ORDERS) -> tuple[str, ...]:
    """List the facts that an order reads: its parameters, except those with other names and a default.

    TypeError for a parameter that is no fact and has no default, or that cannot be given by name; for a function
    without parameters.
    """
    function = known[order] if isinstance(order, str) else in_python(order)
    parameters = inspect.signature(function).parameters
    expected = f"expected parameters by the names of {', '.join(FACTS)}"
    for name, one in parameters.items():
        if one.kind is not one.POSITIONAL_OR_KEYWORD:
            raise TypeError(
                f"has a parameter '{one}', which is {one.kind.description}; {expected}, none of another kind"
            )
        if name not in FACTS and one.default is one.empty:
            meant = f" (is {_meant(name)!r} meant?)" if _meant(name) else ""
            raise TypeError(f"asks for {name!r}, which is no fact{meant}; {expected}, or one with a default")
    if asked := tuple(name for name in parameters if name in FACTS):
        return asked
    raise TypeError(f"asks for nothing; {expected}")


def _meant(name: str) -> str:
    """The fact that an unknown name most likely means; empty if no fact is similar."""
    begins = [fact for fact in FACTS if fact.startswith(name.lower())]
    like = difflib.get_close_matches(name.lower(), FACTS, 1)
    return MEANT.get(name.lower()) or next(iter([*begins, *like]), "")


def changes(order: Order) -> bool:
    """Tell whether the rank of a waiting job may change: whether the order reads a fact that changes."""
    if isinstance(order, str):
        return order not in FIXED
    return any(fact in CHANGING for fact in asked_for(order))


def rise(order: Order) -> Rise | None:
    """Tell how fast the rank of a waiting job may rise; None where it may fall, or nobody knows, as with a function."""
    if isinstance(order, Multifactor):
        weights, max_age = (float(order.age), float(order.fair_share), float(order.procs)), order.max_age_days * DAY
        known = (weights[0] / max_age, weights[1], 1e-9 * sum(map(abs, weights)), max_age + 1.0)
        return None if order.whole or min(weights[:2]) < 0 else known
    named = order.order if isinstance(order, Thresholded) else order
    return (math.inf, 0.0, 0.0, math.inf) if isinstance(named, str) else None  # none of `ORDERS` falls


def compiled(
    order: Order, facts: bool = False, known: dict[str, Callable] = ORDERS, where: str = "EASY: order"
) -> CFunc:
    """Compile an order to a function pointer, so that kernels need no compilation for it.

    A function is compiled again only if something that it depends on has changed, such as a global variable. The
    pointer is called with `THREE` numbers, or with all facts that are `GIVEN`, and returns nan if the function raises.
    ValueError, which names the line, if the function cannot be compiled, prints, or does not return a number.
    """
    if isinstance(order, str) and not facts:
        return _own(known[order])
    return _kept(order, facts, known, where, for_queue=False)


def compiled_for_queue(order: Order, facts: bool = False, where: str = "EASY: order") -> CFunc:
    """Compile an order, as `compiled`, to a function pointer that ranks all jobs of a queue in one call.

    Its arguments are the present second and arrays of submit times, estimates and processors; it writes the ranks into
    the last array, nan if the function raises. With facts, `simlib.engine.ranking.ask_for_ranks` shows its arguments.
    """
    if isinstance(order, str) and not facts:
        return _own_for_queue(ORDERS[order])
    return _kept(order, facts, ORDERS, where, for_queue=True)


def _kept(order: Order, facts: bool, known: dict[str, Callable], where: str, for_queue: bool) -> CFunc:
    """Compile a user's function, unless it was compiled before."""
    function: Any = known[order] if isinstance(order, str) else in_python(order)
    try:
        hangs_on = identity(plain(function))  # also what numba compiled before
    except TypeError:
        return _guarded(function, facts, where, for_queue)
    if (key := (for_queue, facts, hangs_on)) not in _compiled:
        _compiled[key] = _guarded(function, facts, where, for_queue)
    return _compiled[key]


def _guarded(function: FunctionType, facts: bool, where: str, for_queue: bool) -> CFunc:
    """Compile a user's function to a pointer that cannot raise: it returns nan instead."""
    if MISSING or not WAITING.get():
        raise NotReady
    asked, given = asked_for(function), GIVEN if facts else THREE
    told, typical = {name: MADE_OF[name] for name in asked}, {name: TYPICAL[name] for name in asked}
    that_cannot_raise = guarded(function, given, told, typical, f"{where} {_name(function)!r}", EXPECTED)
    if not for_queue:
        return numba.cfunc(_TYPES[facts], error_model="numpy")(that_cannot_raise)
    one = numba.njit(error_model="numpy")(that_cannot_raise)
    return numba.cfunc(_TYPES_FOR_QUEUE[facts], error_model="numpy")(_for_queue(one, facts))


@cache
def _own(function: Callable[..., float]) -> CFunc:
    return pointer(function, _TYPES[False])


@cache
def _own_for_queue(function: Callable[..., float]) -> CFunc:
    many = _for_queue(compile_and_keep(error_model="numpy")(function), facts=False)
    many.__qualname__ = f"{function.__qualname__} for a queue"  # by which its machine code is kept
    return pointer(many, _TYPES_FOR_QUEUE[False])


def _for_queue(one: Any, facts: bool) -> Any:
    """Make the function that ranks all jobs from the compiled one that ranks one job."""

    @no_type_check
    def of_three(now, submit, estimate, procs, ranks):
        for i in range(ranks.size):
            ranks[i] = one(now - submit[i], estimate[i], procs[i])

    @no_type_check
    def of_facts(now, machine, free, submit, estimate, procs, user, group, queue, usage, fair_share, ranks):
        for i in range(ranks.size):
            its = user[i], group[i], queue[i], usage[i], fair_share[i]
            ranks[i] = one(now - submit[i], estimate[i], procs[i], now, *its, machine, free, 0.0, 0.0)

    return of_facts if facts else of_three


def failed(order: Order, *numbers: float, known: dict[str, Callable] = ORDERS, where: str = "EASY: order") -> NoReturn:
    """Raise the reason why an order gave no number for a job: call it as plain Python.

    `numbers` are the facts that it got. Raises the exception of the function itself, with a note; else a ValueError
    that shows the returned value.
    """
    facts = dict(zip(GIVEN, numbers, strict=False))
    facts["submit"] = facts.get("now", np.nan) - facts["wait"]
    told = {name: facts[name] for name in asked_for(order, known)}
    said = ", ".join(f"{name}={value:g}" for name, value in told.items())
    function: Any = known[order] if isinstance(order, str) else in_python(order)
    function = plain(function)
    try:
        with np.errstate(all="ignore"):  # as where it is compiled: 1 / 0 is infinite, 0 / 0 nan
            returned = function(**{name: np.float64(value) for name, value in told.items()})
    except Exception as error:
        line = raised_in(function, error)
        error.add_note(f"{where} {_name(order)!r}, {line}: raised this for {said}; expected {EXPECTED}")
        raise
    raise ValueError(f"{where} {_name(order)!r} returned {returned} for {said}; expected {EXPECTED}")


def _name(order: object) -> str:
    return getattr(order, "__name__", repr(order))
