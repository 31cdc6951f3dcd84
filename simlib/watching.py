"""Long simulations are watched: a bar shows how far they have come, and they can be interrupted."""

import sys
import threading
from concurrent.futures import Future, wait

import numpy as np
from tqdm.auto import tqdm

LONG = 20_000
"""Jobs from which on a simulation may take so long that somebody would like to stop it."""

_watches = {}  # of the simulations that run now


def watched(schedule, jobs, foreign=False):
    """Call a policy's `schedule(watch=...)` so that Ctrl+C or JupyterLab's stop button ends it at once.

    A kernel does not listen to signals while it runs. So in the main thread, which gets them, a long simulation is
    left to another one, and the main one waits, showing a progress bar when it has waited for a second. So is a short
    one that runs somebody's own compiled code, which may never return: then that thread goes on until the process ends,
    which does not wait for it.

    Parameters
    ----------
    schedule : callable
        Takes `watch`, an int64 array of two numbers: it writes how many jobs have started into the first, and returns,
        whatever it has, when the second is no longer 0.
    jobs : int
    foreign : bool
        Whether it runs code that is not the package's own.

    Raises
    ------
    KeyboardInterrupt
        Where it was interrupted, or stopped by `stop_all`.
    """
    watch = np.zeros(2, np.int64)
    _watches[id(watch)] = watch
    try:
        if (jobs < LONG and not foreign) or threading.current_thread() is not threading.main_thread():
            found = schedule(watch=watch)
        else:
            found = _elsewhere(schedule, watch, jobs)
    finally:
        del _watches[id(watch)]
    if watch[1]:
        raise KeyboardInterrupt
    return found


def _elsewhere(schedule, watch, jobs):
    """The result of `schedule` from a thread of its own."""
    future = Future()

    def run():
        try:
            future.set_result(schedule(watch=watch))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()  # a process that ends does not wait for it
    try:
        if not wait([future], timeout=1).done:
            with tqdm(total=jobs, desc="simulate", unit=" jobs", unit_scale=True, disable=not seen()) as bar:
                while not wait([future], timeout=0.2).done:
                    bar.update(int(watch[0]) - bar.n)
                bar.update(jobs - bar.n)
        return future.result()
    except BaseException:
        watch[1] = 1
        wait([future], timeout=0.5)  # not for ever: where numba is compiling, it does so to the end before it stops
        raise


def stop_all():
    """Let all simulations of this process end with KeyboardInterrupt, whatever thread they are in."""
    for watch in list(_watches.values()):
        watch[1] = 1


def seen():
    """Whether a bar would be seen: a terminal, or a notebook's kernel that papermill did not start."""
    if "ipykernel" not in sys.modules:
        return sys.stderr.isatty()
    import psutil  # comes with ipykernel

    parent = psutil.Process().parent()
    return parent is None or not any("papermill" in word for word in parent.cmdline())
