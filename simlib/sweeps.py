"""Many simulations at once, on threads, processes or a cluster: whatever is a `concurrent.futures.Executor`."""

import os
from concurrent.futures import ThreadPoolExecutor

from tqdm.auto import tqdm

from . import watching


def sweep(function, tasks, executor=None, progress=None, label="runs"):
    """Call `function(*task)` for every task, and return the results in the order of the tasks.

    Parameters
    ----------
    function : callable
        For processes and clusters one that can be pickled.
    tasks : iterable of tuple
        The arguments of each call.
    executor : concurrent.futures.Executor, optional
        By default as many threads as there are cores: the engine's kernels release Python's lock.
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
    """
    if executor is None:
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            return sweep(function, tasks, threads, progress, label)
    futures = [executor.submit(function, *task) for task in tasks]
    show = watching.seen() if progress is None else progress
    try:
        with tqdm(total=len(futures), unit="", desc=label, disable=not show) as bar:
            for future in futures:
                future.add_done_callback(lambda _: bar.update())
            return [future.result() for future in futures]
    except KeyboardInterrupt:
        watching.stop_all()
        raise
    finally:
        for future in futures:
            future.cancel()
