"""Orders of a queue: functions that rank a job, compiled; the job with the largest value is the first."""

import inspect
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, NoReturn, Protocol, no_type_check

import numba
import numpy as np
from numba.core.ccallback import CFunc

from .compiled import compiled as compile_and_keep
from .compiled import pointer
from .guarding import guarded
from .identity import identity
from .refusing import in_python


class Ranking(Protocol):
    """What has a function of `FACTS`, such as a `simlib.Multifactor`.

    Examples
    --------
    >>> import simlib
    >>> check(simlib.Multifactor())
    """

    @property
    def function(self) -> Callable[..., float]:
        """The function."""


Order = str | Callable[..., float] | Ranking
"""A name in `ORDERS`, a function of `FACTS`, or what has one."""

THREE = "wait", "estimate", "size"

FACTS = (*THREE, "now", "user", "group", "queue", "usage", "fair_share", "machine", "free", "extra", "window")
"""What a function may ask for by the names of its parameters, all floats.

Of the job: the seconds that it waits, its estimate in seconds, its processors; its user, group and queue as in the
jobs table, -1 where unknown; `usage`, what its user has had of the machine of late, and `fair_share`, 2 ** -usage (see
`simlib.Multifactor`). Of the system: the second that it is, the processors of the machine and those free; where jobs
are backfilled, the extra processors and the seconds until the shadow time.
"""

ONLY_BACKFILL = "extra", "window"
"""Those that are known only when jobs are backfilled."""

CHANGING = "wait", "now", "usage", "fair_share", "free"
"""Those of an order of the queue that change while a job waits."""


def _arrival(wait: float, estimate: float, size: float) -> float:
    return 0.0


def _shortest_job_first(wait: float, estimate: float, size: float) -> float:
    return -estimate


def _wfp(wait: float, estimate: float, size: float) -> float:
    return (wait / max(estimate, 1.0)) ** 3 * size


def _largest(wait: float, estimate: float, size: float) -> float:
    return size


def _smallest_area(wait: float, estimate: float, size: float) -> float:
    return -size * estimate


def _best_fit(size: float, estimate: float, window: float) -> float:
    return size * min(estimate, window)


ORDERS = {"fcfs": _arrival, "sjf": _shortest_job_first, "wfp": _wfp}

FIXED = "fcfs", "sjf"
"""Those of them that rank a job once and for all."""

BACKFILL = {
    "arrival": _arrival,
    "sjf": _shortest_job_first,
    "best-fit": _best_fit,
    "largest": _largest,
    "smallest area": _smallest_area,
}
"""Orders in which those who may pass the head are tried: see `simlib.EASY`."""

EXPECTED = "a function of the floats (wait, estimate, size) that returns a number"

_compiled: dict[tuple, CFunc] = {}  # functions of others, by all that they hang on


def check(order: Order, known: dict[str, Callable] = ORDERS, where: str = "EASY: order") -> None:
    """Check that `order` is a known name, or a function that asks for nothing but `FACTS`.

    Parameters
    ----------
    order : str or callable
    known : dict
        The names: `ORDERS` or `BACKFILL`.
    where : str
        Whose setting it is, for the message.

    Raises
    ------
    ValueError
        Where it is neither.

    Examples
    --------
    >>> check("wfp")
    >>> check("lifo")
    Traceback (most recent call last):
        ...
    ValueError: EASY: found order='lifo', expected one of 'fcfs', 'sjf', 'wfp' or a function of the floats ...
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
        raise ValueError(f"{where} {_name(order)!r} cannot be called with three numbers: {error}; {expected}") from None
    if known is ORDERS and (early := [fact for fact in asked if fact in ONLY_BACKFILL]):
        raise ValueError(
            f"{where} {_name(order)!r} asks for {early[0]}, which is known only when jobs are backfilled; expected one "
            f"of {', '.join(fact for fact in FACTS if fact not in ONLY_BACKFILL)}"
        )


def asked_for(order: Order, known: dict[str, Callable] = ORDERS) -> tuple[str, ...]:
    """List the facts that an order asks for, one for each of its parameters without a default.

    Where all parameters have the names of `FACTS` it is told these. Else it is a function of three numbers, whatever
    they are called: wait, estimate and size.

    Raises
    ------
    TypeError
        Where it can be called neither way.

    Examples
    --------
    >>> asked_for(lambda size, user: -size), asked_for(lambda w, e, s: w / e)
    (('size', 'user'), ('wait', 'estimate', 'size'))
    """
    function = known[order] if isinstance(order, str) else in_python(order)
    signature = inspect.signature(function)
    asked = tuple(
        name
        for name, one in signature.parameters.items()
        if name in FACTS or (one.default is one.empty and one.kind is not one.VAR_KEYWORD)
    )
    if asked and all(name in FACTS for name in asked):
        return asked
    try:
        signature.bind(0.0, 0.0, 0.0)
    except TypeError as error:
        unknown = [name for name in asked if name not in FACTS]
        also = f" (or of {', '.join(FACTS)} by name; {unknown[0]!r} is none of them)" if unknown else ""
        raise TypeError(f"{error}{also}") from None
    return THREE


def changes(order: Order) -> bool:
    """Tell whether the rank that an order gives a job may change while it waits: whether it asks for what does.

    Examples
    --------
    >>> changes("wfp"), changes("sjf"), changes(lambda size, user: -size), changes(lambda w, e, s: -s)
    (True, False, False, True)
    """
    if isinstance(order, str):
        return order not in FIXED
    return any(fact in CHANGING for fact in asked_for(order))


def compiled(
    order: Order, facts: bool = False, known: dict[str, Callable] = ORDERS, where: str = "EASY: order"
) -> CFunc:
    """Compile an order to a function pointer, so that no kernel is compiled anew for it.

    Parameters
    ----------
    order : str or callable
        A known name, or a function. One that was compiled before is not compiled again, unless what it hangs on is
        another now, such as a global variable that it reads.
    facts : bool
        Whether the pointer is called with all `FACTS`, and not with three numbers.
    known, where
        As for `check`.

    Returns
    -------
    numba.core.ccallback.CFunc
        It returns nan where the function raises.

    Raises
    ------
    ValueError
        Where the function cannot be compiled, prints, or does not return a number; the message says which line.

    Examples
    --------
    >>> compiled(lambda wait, estimate, size: wait / size).ctypes(60, 3600, 8)
    7.5
    """
    if isinstance(order, str) and not facts:
        return _own(known[order])
    return _kept(order, facts, known, where, _guarded)


def compiled_for_queue(order: Order, facts: bool = False, where: str = "EASY: order") -> CFunc:
    """Compile an order to a function pointer that ranks all jobs of a queue in one call.

    Parameters
    ----------
    order, facts, where
        As for `compiled`.

    Returns
    -------
    numba.core.ccallback.CFunc
        It is called with the present second and arrays of submit times, estimates and sizes, and writes the ranks into
        the last array; with facts it is called as `simlib.engine.rows.ask_for_ranks` says. It writes nan where the
        function raises.

    Raises
    ------
    ValueError
        As for `compiled`.

    Examples
    --------
    >>> import numpy as np
    >>> ranks, size = np.empty(2), np.array([8.0, 2.0])
    >>> ranked = numba.njit(lambda function, *given: function(*given))
    >>> ranked(compiled_for_queue(lambda wait, estimate, size: wait / size), 60.0, np.zeros(2), size, size, ranks)
    >>> ranks.tolist()
    [7.5, 30.0]
    """
    if isinstance(order, str) and not facts:
        return _own_for_queue(ORDERS[order])
    return _kept(order, facts, ORDERS, where, _guarded_for_queue)


def _kept(order: Order, facts: bool, known: dict[str, Callable], where: str, make: Callable[..., CFunc]) -> CFunc:
    """Compile somebody's function, unless it was compiled before."""
    function: Any = known[order] if isinstance(order, str) else in_python(order)
    try:
        hangs_on = identity(function if isinstance(order, str) else order)  # of a Multifactor its weights count
    except TypeError:
        return make(function, facts, where)
    if (key := (make, facts, *hangs_on)) not in _compiled:
        _compiled[key] = make(function, facts, where)
    return _compiled[key]


@cache
def _own(function: Callable[..., float]) -> CFunc:
    return pointer(function, _types(THREE))


@cache
def _own_for_queue(function: Callable[..., float]) -> CFunc:
    many = _for_queue(compile_and_keep(error_model="numpy")(function), facts=False)
    many.__qualname__ = f"{function.__qualname__} for a queue"  # by which its machine code is kept
    return pointer(many, _queue_types(facts=False))


def _for_queue(one: Any, facts: bool) -> Any:
    """Write the function that ranks all jobs, from the one, compiled, that ranks one of them."""

    @no_type_check
    def of_three(now, submit, estimate, size, ranks):
        for i in range(ranks.size):
            ranks[i] = one(now - submit[i], estimate[i], size[i])

    @no_type_check
    def of_facts(now, machine, free, submit, estimate, size, user, group, queue, usage, fair_share, ranks):
        for i in range(ranks.size):
            its = user[i], group[i], queue[i], usage[i], fair_share[i]
            ranks[i] = one(now - submit[i], estimate[i], size[i], now, *its, machine, free, 0.0, 0.0)

    return of_facts if facts else of_three


def _queue_types(facts: bool) -> str:
    return f"void({', '.join(['float64'] * (3 if facts else 1) + ['float64[::1]'] * (9 if facts else 4))})"


def _types(facts: tuple[str, ...]) -> str:
    return f"float64({', '.join(['float64'] * len(facts))})"


def _guarded(function: FunctionType, facts: bool, where: str) -> CFunc:
    """Compile somebody's function to a pointer, which cannot raise: nan says that it did."""
    return numba.cfunc(_types(FACTS if facts else THREE), error_model="numpy")(
        _that_cannot_raise(function, facts, where)
    )


def _guarded_for_queue(function: FunctionType, facts: bool, where: str) -> CFunc:
    """Compile somebody's function to a pointer that ranks all jobs of a queue."""
    one = numba.njit(error_model="numpy")(_that_cannot_raise(function, facts, where))
    return numba.cfunc(_queue_types(facts), error_model="numpy")(_for_queue(one, facts))


def _that_cannot_raise(function: FunctionType, facts: bool, where: str) -> FunctionType:
    typical = {name: TYPICAL[name] for name in asked_for(function)}
    return guarded(function, FACTS if facts else THREE, typical, f"{where} {_name(function)!r}", EXPECTED)


def failed(order: Order, *numbers: float, known: dict[str, Callable] = ORDERS, where: str = "EASY: order") -> NoReturn:
    """Find out why an order gave no number for a job: call it as plain Python.

    Parameters
    ----------
    order : str or callable
    *numbers : float
        What it was told: three numbers, or all `FACTS`.
    known, where
        As for `check`.

    Raises
    ------
    Exception
        The one that the function raises itself, with a note; else ValueError that says what it returned.

    Examples
    --------
    >>> failed(lambda wait, estimate, size: wait / 0.0 * 0.0, 60.0, 3600.0, 8.0)
    Traceback (most recent call last):
        ...
    ValueError: EASY: order '<lambda>' returned nan for wait=60, estimate=3600, size=8; expected a function of ...
    """
    facts = dict(zip(FACTS, numbers, strict=False))
    told = {name: facts[name] for name in asked_for(order, known)}
    said = ", ".join(f"{name}={value:g}" for name, value in told.items())
    function = known[order] if isinstance(order, str) else in_python(order)
    try:
        with np.errstate(all="ignore"):  # as where it is compiled: 1 / 0 is infinite, 0 / 0 nan
            returned = function(*map(np.float64, told.values()))
    except Exception as error:
        error.add_note(f"{where} {_name(order)!r} raised this for {said}; expected {EXPECTED}")
        raise
    raise ValueError(f"{where} {_name(order)!r} returned {returned} for {said}; expected {EXPECTED}")


def _name(order: object) -> str:
    return getattr(order, "__name__", repr(order))


TYPICAL = dict(zip(FACTS, (60.0, 3600.0, 8.0, 7200.0, 7.0, 2.0, 1.0, 1.0, 0.5, 128.0, 16.0, 4.0, 1800.0), strict=True))
"""A job for which functions are tried."""
