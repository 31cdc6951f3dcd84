"""Run many simulations at once, on threads, processes or a cluster: whatever is a `concurrent.futures.Executor`."""

import os
import pickle
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar

from tqdm.auto import tqdm

from .._util.progress import bar_shows, stop_all

LARGE = 10_000
"""Bytes of a pickle from which it pays to send an argument of several tasks only once to each of Dask's workers."""


_Result = TypeVar("_Result")


def sweep(
    function: Callable[..., _Result],
    tasks: Iterable[tuple],
    executor: Any = None,
    progress: bool | None = None,
    label: str = "runs",
) -> list[_Result]:
    """Call `function(*task)` for every task, and return the results in the order of the tasks.

    Parameters
    ----------
    function : callable
        For processes and clusters one that can be pickled.
    tasks : iterable of tuple
        The arguments of each call.
    executor : concurrent.futures.Executor or distributed.Client, optional
        By default as many threads as we may use cores: the engine's kernels release Python's lock. On Dask's workers
        what several tasks share, such as a log, travels once a worker, and what a worker did not finish another does.
    progress : bool, optional
        Whether to show a progress bar; by default in terminals and JupyterLab, but not under papermill or in a file.
    label : str
        What the bar counts.

    Returns
    -------
    list

    Raises
    ------
    Exception
        The first one that a call raised, in order of the tasks; calls that have not begun are cancelled.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.load("sample")
    >>> schedules = simlib.sweep(simlib.simulate, [(w, simlib.FCFS()), (w, simlib.EASY())])
    >>> [round(s.summary().mean_wait) for s in schedules]
    [89878, 8654]
    """
    if executor is None:
        threads, to_the_end = ThreadPoolExecutor(_cores()), True
        try:
            return sweep(function, tasks, threads, progress, label)
        except (KeyboardInterrupt, SystemExit):
            to_the_end = False  # an order of somebody's may never return: a second Ctrl+C ends the process
            threads.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            threads.shutdown(wait=to_the_end)
    if hasattr(executor, "get_executor"):  # Dask's client; not pure: two calls with the same arguments are two calls
        executor = executor.get_executor(pure=False)
    tasks = list(tasks)
    if client := getattr(executor, "_client", None):  # of Dask's executor
        tasks = _sent_once(tasks, client)
    futures: list[Any] = []
    show = bar_shows() if progress is None else progress
    bar = tqdm(total=len(tasks), unit="", desc=label, disable=not show)  # first: it imports what it needs
    try:
        for task in tasks:
            futures.append(executor.submit(function, *task))
        for future in futures:
            future.add_done_callback(lambda _: bar.update())
        return [future.result() for future in futures]
    except (KeyboardInterrupt, SystemExit):  # dask_jobqueue makes the one into the other
        begun = [future for future in futures if not future.cancel()]  # first: what is stopped makes room for others
        _stop(begun, all_known=len(futures) == len(tasks))
        raise
    finally:
        bar.close()
        for future in futures:
            future.cancel()


def _stop(begun: list, all_known: bool) -> None:
    """End simulations that have begun, also those not yet at their first job; it takes half a second at most.

    All of that half second where an interrupt came while tasks were handed over: one of them may have begun unknown.
    """
    for _ in range(5):
        stop_all()
        ended = not wait(begun, timeout=0.1).not_done
        if ended and all_known:
            break
        time.sleep(0.1 if ended else 0)


def _sent_once(tasks: list[tuple], client: Any) -> list[tuple]:
    """Put a future of Dask's in the place of each large object that is an argument of several tasks.

    A worker gets a future's value once, whichever tasks need it. It is a task's result rather than data that was
    scattered to the workers: so it can be there before them, and when it is lost with the last worker that had it, Dask
    makes it again. The scheduler keeps it for that, which is meant, and no reason to warn.
    """
    import cloudpickle  # comes with Dask, as does the next
    import dask

    times = Counter(id(argument) for task in tasks for argument in task)
    shared = {id(argument): argument for task in tasks for argument in task if times[id(argument)] > 1}
    pickled = {key: cloudpickle.dumps(argument) for key, argument in shared.items()}
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
        futures = {
            key: client.submit(pickle.loads, content, pure=False)
            for key, content in pickled.items()
            if len(content) >= LARGE
        }
    return [tuple(futures.get(id(argument), argument) for argument in task) for task in tasks]


def _cores() -> int:
    """Count the cores that we may use: a batch system may have granted some of a node's."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
