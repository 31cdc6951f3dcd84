"""Run one simulation or many at once, with a progress bar, and so that you can stop them.

Many run on threads, processes or a cluster: on any `concurrent.futures.Executor`.
"""

import os
import pickle
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

import numpy as np
from tqdm.auto import tqdm

from .._util import checks
from .._util.arrays import Ints
from .._util.compiled import bar_shows, lines_show

LONG = 20_000
"""Jobs from which on a simulation may take so long that a user would like to stop it."""

_LARGE = 10_000
"""Bytes of a pickle from which it pays to send an argument of several tasks only once to each of Dask's workers."""

_running: dict[int, Ints] = {}  # the arrays `progress_and_stop` of the simulations that run now

_Result = TypeVar("_Result")

_TASKS = checks.Kind(
    lambda tasks: isinstance(tasks, Iterable) and not isinstance(tasks, str | np.ndarray), "a list of tuples"
)

_EXECUTOR = checks.Kind(lambda value: hasattr(value, "submit"), "a concurrent.futures.Executor or a distributed.Client")


def interruptible(schedule: Callable[..., _Result], jobs: int, foreign: bool = False, plain: bool = False) -> _Result:
    """Call a policy's `schedule(progress_and_stop=...)` so that Ctrl+C or JupyterLab's stop button ends it at once.

    A kernel does not handle signals while it runs, and only the main thread receives them. So the main thread runs a
    long simulation in another thread, waits, and shows a progress bar after one second. It does the same with a short
    simulation that calls a user's compiled function, which may never return: then the other thread continues until the
    process ends; the process does not wait for it. Plain Python can be stopped at any line.
    """
    progress_and_stop = np.zeros(2, np.int64)
    _running[id(progress_and_stop)] = progress_and_stop
    try:
        if (jobs < LONG and not foreign) or threading.current_thread() is not threading.main_thread():
            result = schedule(progress_and_stop=progress_and_stop)
        elif plain:
            result = _in_this_thread(schedule, progress_and_stop, jobs)
        else:
            result = _in_a_thread(schedule, progress_and_stop, jobs)
    finally:
        del _running[id(progress_and_stop)]
    if progress_and_stop[1]:
        raise KeyboardInterrupt
    return result


def _bar(jobs: int) -> tqdm:
    """Make the bar before anything runs: an interrupt must not happen while tqdm imports its modules."""
    return tqdm(total=jobs, desc="simulate", unit=" jobs", unit_scale=True, delay=1, disable=not bar_shows())


def _in_this_thread(schedule: Callable[..., _Result], progress_and_stop: Ints, jobs: int) -> _Result:
    """Call `schedule` here, while another thread shows its progress."""
    ended = threading.Event()
    with _bar(jobs) as bar:

        def show() -> None:
            while not ended.wait(0.2):
                bar.update(int(progress_and_stop[0]) - bar.n)

        showing = threading.Thread(target=show, daemon=True)
        showing.start()
        try:
            result = schedule(progress_and_stop=progress_and_stop)
        finally:
            ended.set()
            showing.join()
        bar.update(jobs - bar.n)
        return result


def _in_a_thread(schedule: Callable[..., _Result], progress_and_stop: Ints, jobs: int) -> _Result:
    """Call `schedule` in a separate thread, and show its progress."""
    future: Future[_Result] = Future()

    def run() -> None:
        try:
            future.set_result(schedule(progress_and_stop=progress_and_stop))
        except BaseException as error:
            future.set_exception(error)

    with _bar(jobs) as bar:
        try:
            threading.Thread(target=run, daemon=True).start()  # a process that ends does not wait for it
            while not wait([future], timeout=0.2).done:
                bar.update(int(progress_and_stop[0]) - bar.n)
            bar.update(jobs - bar.n)
            return future.result()
        except BaseException:
            progress_and_stop[1] = 1
            wait([future], timeout=0.5)  # not for ever: where numba is compiling, it does so to the end before it stops
            raise


def stop_all() -> None:
    """Let all simulations of this process, in all threads, end with KeyboardInterrupt."""
    for progress_and_stop in list(_running.values()):
        progress_and_stop[1] = 1


class _Lines:
    """In place of a bar plain lines, one in half a minute, with the minutes that are left."""

    EVERY = 30

    def __init__(self, total: int, label: str) -> None:
        self.total, self._label, self._done = total, label, 0
        self._began = self._told = time.monotonic()

    def update(self, done: int = 1) -> None:
        self._done, now = self._done + done, time.monotonic()
        if now - self._told >= self.EVERY and self._done < self.total:
            self._told, left = now, (now - self._began) / self._done * (self.total - self._done)
            said = f"{self._done:,} of {self.total:,}, about {left / 60:.1f} minutes left"
            print(f"{self._label}: {said}", file=sys.stderr, flush=True)

    def close(self) -> None:
        pass


def counted(total: int, label: str, show: bool | None = None) -> Any:
    """Make a bar of so many things to do, which several sweeps may advance: lines under papermill, nothing in a file.

    Close it in the end. `total` may be lowered.
    """
    if show is None and lines_show():
        return _Lines(total, label)
    return tqdm(total=total, unit="", desc=label, disable=not (bar_shows() if show is None else show))


def pool() -> ThreadPoolExecutor:
    """Make a pool of as many threads as this process may use cores, of which a batch system may grant some."""
    granted = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    return ThreadPoolExecutor(len(granted) if granted else os.cpu_count() or 1)


def sweep(
    function: Callable[..., _Result],
    tasks: Iterable[tuple],
    executor: Any = None,
    progress: Any = None,
    label: str = "runs",
) -> list[_Result]:
    """Call `function(*task)` for every task, and return the results in the order of the tasks.

    Parameters
    ----------
    function : callable
        For processes and clusters it must be possible to pickle it.
    tasks : iterable of tuple
        The arguments of each call.
    executor : concurrent.futures.Executor or distributed.Client, optional
        By default one thread for each core that we may use: the engine's kernels release Python's lock. Dask sends a
        large object that several tasks share, such as a log, once to each worker, and repeats the unfinished tasks of a
        lost worker.
    progress : bool or bar, optional
        Whether to show a progress bar; by default in terminals and JupyterLab. Papermill gets lines with the minutes
        left, and a file nothing. Or the bar of several sweeps: then the caller closes it.
    label : str
        Name of the things that the bar counts.

    Returns
    -------
    list

    Raises
    ------
    Exception
        The first exception of a call, in order of the tasks; calls that have not begun are cancelled.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.load("sample")
    >>> schedules = simlib.sweep(simlib.simulate, [(w, simlib.FCFS()), (w, simlib.EASY())])
    >>> [round(s.summary().mean_wait) for s in schedules]
    [89878, 8654]
    """
    checks.check("sweep", "function", function, checks.Kind(callable, "a function"))
    checks.check("sweep", "tasks", tasks, _TASKS)
    tasks = list(tasks)
    checks.check("sweep", "executor", executor, checks.or_none(_EXECUTOR))
    own = not hasattr(progress, "update")
    checks.check("sweep", "progress", progress if own else None, checks.or_none(checks.FLAG))
    if executor is None:
        threads, to_the_end = pool(), True
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
    if client := getattr(executor, "_client", None):  # of Dask's executor
        tasks = _sent_once(tasks, client)
    futures: list[Any] = []
    bar = counted(len(tasks), label, progress) if own else progress  # first: it imports what it needs
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
        if own:
            bar.close()
        for future in futures:
            future.cancel()


def _stop(begun: list, all_known: bool) -> None:
    """End simulations that have begun, also before their first job; it takes half a second at most.

    If the interrupt came while tasks were submitted, it takes the whole half second: one of them may have begun
    unnoticed.
    """
    for _ in range(5):
        stop_all()
        ended = not wait(begun, timeout=0.1).not_done
        if ended and all_known:
            break
        time.sleep(0.1 if ended else 0)


def _sent_once(tasks: list[tuple], client: Any) -> list[tuple]:
    """Replace each large object that is an argument of several tasks by a future of Dask.

    A worker gets a future's value once, for all tasks that need it. The value is the result of a task, not data
    scattered to the workers. So it can exist before there are workers, and Dask makes it again when the last worker
    that had it is lost. The scheduler keeps the object for this purpose; so the warning about its size does not apply.
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
            if len(content) >= _LARGE
        }
    return [tuple(futures.get(id(argument), argument) for argument in task) for task in tasks]
