"""The general workload model of Feitelson '96, and MF's variants of it for their Figure 7.

D. G. Feitelson, "Packing schemes for gang scheduling", JSSPP 1996 (Springer LNCS 1162), as MF section 3.1 uses it:

- sizes: harmonic of order 1.5: the chance of n processors falls as n^-1.5; powers of two are emphasised by hand;
- run times: hyper-exponential; the chance of a long branch depends on the size, so that both are weakly correlated;
- repeated executions: the same job comes again and again, n times with a chance that falls as n^-2.5, each time when
  the last execution has ended on an idle machine, or after a time to think;
- first executions come as a Poisson process.

Variants: "F" is the model; "Fs" has smaller jobs; "Fl" has longer ones; "Fsl" has both and follows the CTC log.
Estimates are exact. The numbers are in `data/models/feitelson96.toml`, each with its origin; `tools/fit.py` fitted
those that no available source prints: the Parallel Workloads Archive's page describes the model in words, and we found
no copy of its program in public repositories.
"""

import tomllib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .._util import checks, paths
from .._util.arrays import Floats, Ints, in_order
from ..core.workload import MOST_JOBS, Workload
from ..logs.swf import FIELDS

VARIANTS = {"F": ("general", "general"), "Fs": ("ctc", "general"), "Fl": ("general", "ctc"), "Fsl": ("ctc", "ctc")}
"""The sizes and the run times of the table that each variant has."""


def table() -> dict[str, Any]:
    """Read the model's numbers, `data/models/feitelson96.toml`; `fit` marks those that are not the paper's."""
    numbers = tomllib.loads((paths.DATA / "models" / "feitelson96.toml").read_text(encoding="utf-8"))
    return numbers | {"fit": "refitted"}


_ABOUT = checks.Kind(
    lambda about: isinstance(about, dict) and {"machine", "load", "size", "run", "repetition", "fit"} <= about.keys(),
    "a dict as from feitelson96.table()",
)


def workload(
    jobs: int = 350_000,
    variant: str = "F",
    seed: int = 0,
    repeat: bool = True,
    arrivals: Callable[[np.random.Generator, int], Floats] | None = None,
    about: dict[str, Any] | None = None,
) -> Workload:
    """Make a workload of the model.

    Parameters
    ----------
    jobs : int
    variant : {"F", "Fs", "Fl", "Fsl"}
    seed : int
    repeat : bool
        Whether jobs are executed repeatedly.
    arrivals : function, optional
        A function of a numpy Generator and a number n that returns n interarrival times, which replace those of the
        model. Their unit does not matter: they are scaled to the load.
    about : dict, optional
        The model's numbers; by default those of `table`.

    Returns
    -------
    Workload
        On the model's machine, at the table's load; `Workload.scale_load` sets another one (MF 3.1). Executions of the
        same job have the same `app`. Submit times are those of an idle machine; for `simulate(..., feedback=True)` the
        log's fields `preceding` and `think` link each execution to the one before.

    Raises
    ------
    ValueError
        For an unknown variant, a number of jobs below 1 or above 100 million, a seed below 0, or interarrival times
        that are not n numbers of at least 0.

    Examples
    --------
    >>> w = workload(jobs=1000, variant="Fsl")
    >>> len(w), w.procs, round(w.load, 3)
    (1000, 128, 0.688)
    """
    checks.check("feitelson96", "variant", variant, checks.one_of(*VARIANTS))
    jobs = checks.whole("feitelson96", "jobs", jobs, 1, MOST_JOBS)
    checks.whole("feitelson96", "seed", seed, 0)
    checks.check("feitelson96", "repeat", repeat, checks.FLAG)
    checks.check("feitelson96", "arrivals", arrivals, checks.or_none(checks.Kind(callable, "a function")))
    checks.check("feitelson96", "about", about, checks.or_none(_ABOUT))
    rng = np.random.default_rng(seed)
    about = table() if about is None else about
    sizes, runs = (about[part][which] for part, which in zip(("size", "run"), VARIANTS[variant], strict=True))
    columns = _executions(rng, jobs, repeat, sizes, runs, about)
    if arrivals is not None:
        columns["submit"] = _submitted(arrivals(rng, jobs), jobs)
    index = pd.RangeIndex(1, jobs + 1, name="job")
    absent = pd.Series(-1, index)  # one for all fields that the model does not have: a log of its own would be large
    log = pd.DataFrame(dict.fromkeys(FIELDS, absent), copy=False).assign(job=index, **columns)
    source = {"model": f"Feitelson '96 ({about['fit']}), {variant}", "jobs": jobs, "seed": seed}
    own = log[["submit", "run", "procs", "app"]]
    made = Workload(own, about["machine"], variant, log=log, source=source, synthetic=True)
    return made.scale_load(about["load"]) if made.load > 0 else made  # of one job the load is not known


def _submitted(gaps: Floats, jobs: int) -> Ints:
    """Add up interarrival times, after checking them."""
    given = np.asarray(gaps, float)
    if given.shape != (jobs,) or not (np.isfinite(given) & (given >= 0)).all():
        raise ValueError(f"feitelson96: arrivals: found {given}, expected {jobs:,} numbers of at least 0")
    return np.rint(np.cumsum(given)).astype(np.int64)


def size_chances(about: dict[str, Any], machine: int) -> Floats:
    """Compute the chance of each size from 1 to the machine's: n^-order, times a factor where n is a power of two."""
    n = np.arange(1, machine + 1)
    weight = n ** -float(about["order"])
    weight[2 ** np.arange(len(about["powers_of_two"])) - 1] *= about["powers_of_two"]
    return weight / weight.sum()


def branch_chances(about: dict[str, Any], n: Sequence[float] | Ints) -> Floats:
    """Compute the chance of each branch of the hyper-exponential run time for jobs of size n, one row for each size.

    The table gives them for some sizes; in between they are linear in n.
    """
    chances = np.array(about["chances"], float)
    return np.stack([np.interp(n, about["sizes"], column) for column in chances.T], axis=-1)


def _executions(
    rng: np.random.Generator,
    jobs: int,
    repeat: bool,
    sizes: dict[str, Any],
    runs: dict[str, Any],
    about: dict[str, Any],
) -> dict[str, Ints]:
    """Draw executions, and return the columns of the first `jobs` of them, by the names of SWF.

    It draws `jobs` jobs, each with all its executions, so that there are enough.
    """
    machine, again = about["machine"], about["repetition"]
    size = 1 + rng.choice(machine, jobs, p=size_chances(sizes, machine))
    upto = np.cumsum(branch_chances(runs, np.arange(machine + 1)), axis=1)
    branch = (rng.random((jobs, 1)) > upto[size, :-1]).sum(axis=1)
    run = np.ceil(rng.exponential(np.array(runs["means"])[branch])).astype(np.int64)  # so that no job takes no time
    times = rng.zipf(again["order"], jobs) if repeat else np.ones(jobs, np.int64)
    gap = (times * run * size).sum() / (jobs * machine * about["load"])
    first = np.rint(np.cumsum(rng.exponential(gap, jobs))).astype(np.int64)

    which = np.repeat(np.arange(jobs), times)
    begins = (np.cumsum(times) - times)[which]  # the place of the job's first execution
    again_after = np.rint(rng.exponential(again["think"], len(which))).astype(np.int64)
    again_after[rng.random(len(which)) < again["at_once"]] = 0
    place = np.arange(len(which))
    repeats = place > begins
    passed = np.cumsum(np.where(repeats, run[which] + again_after, 0))
    submit = first[which] + passed - passed[begins]

    earliest = in_order(submit)[:jobs]
    number = np.zeros(len(which), np.int64)  # by place, the execution's number in order of submission
    number[earliest] = np.arange(1, jobs + 1)
    taken = which[earliest]
    return {
        "submit": submit[earliest],
        "run": run[taken],
        "procs": size[taken],
        "app": taken + 1,
        "preceding": np.where(repeats, np.roll(number, 1), -1)[earliest],
        "think": np.where(repeats, again_after, -1)[earliest],
    }
