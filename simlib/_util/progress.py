"""Show the progress of long simulations with a bar, and let them be interrupted."""

import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, TypeVar

import numpy as np
from tqdm.auto import tqdm

from .arrays import Ints

LONG = 20_000
"""Jobs from which on a simulation may take so long that a user would like to stop it."""

_running: dict[int, Ints] = {}  # the arrays `progress_and_stop` of the simulations that run now

_Result = TypeVar("_Result")


def interruptible(schedule: Callable[..., _Result], jobs: int, foreign: bool = False, plain: bool = False) -> _Result:
    """Call a policy's `schedule(progress_and_stop=...)` so that Ctrl+C or JupyterLab's stop button ends it at once.

    A kernel does not listen to signals while it runs, and only the main thread gets them. So the main thread leaves a
    long simulation to another thread and waits, showing a progress bar when it has waited for a second. It does the
    same with a short simulation that runs a user's own compiled code, which may never return: then the other thread
    goes on until the process ends, which does not wait for it. Plain Python stops wherever it is.
    """
    progress_and_stop = np.zeros(2, np.int64)
    _running[id(progress_and_stop)] = progress_and_stop
    try:
        if (jobs < LONG and not foreign) or threading.current_thread() is not threading.main_thread():
            found = schedule(progress_and_stop=progress_and_stop)
        elif plain:
            found = _in_this_thread(schedule, progress_and_stop, jobs)
        else:
            found = _in_a_thread(schedule, progress_and_stop, jobs)
    finally:
        del _running[id(progress_and_stop)]
    if progress_and_stop[1]:
        raise KeyboardInterrupt
    return found


def _bar(jobs: int) -> tqdm:
    """Make the bar, which must come first: an interrupt must not find tqdm importing what it needs."""
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
            found = schedule(progress_and_stop=progress_and_stop)
        finally:
            ended.set()
            showing.join()
        bar.update(jobs - bar.n)
        return found


def _in_a_thread(schedule: Callable[..., _Result], progress_and_stop: Ints, jobs: int) -> _Result:
    """Call `schedule` in a thread of its own, and show its progress."""
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
    """Let all simulations of this process end with KeyboardInterrupt, whatever thread they are in."""
    for progress_and_stop in list(_running.values()):
        progress_and_stop[1] = 1


def bar_shows() -> bool:
    """Tell whether a bar would be seen: in a terminal, or in a notebook that no program executes.

    Programs such as papermill and nbclient say that nobody can be asked; the bars would stay in the notebook's outputs.
    """
    if "ipykernel" not in sys.modules:
        return sys.stderr.isatty()
    import psutil  # comes with ipykernel
    from IPython import get_ipython

    kernel: Any = getattr(get_ipython(), "kernel", None)
    if kernel is None:  # imported, but by no notebook
        return sys.stderr.isatty()
    request = kernel.get_parent("shell")
    if request.get("content", {}).get("allow_stdin") is False:
        return False
    parent = psutil.Process().parent()
    return parent is None or not any("papermill" in word for word in parent.cmdline())
