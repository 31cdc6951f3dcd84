"""The sample log: three synthetic months of a 128-processor machine, for use without a real log.

It has all features that the exhibits need: a daily cycle, small jobs and powers of two, users who repeat similar jobs,
estimates that are round and mostly far too high, jobs that fail at once and jobs killed at their limit. It is fitted to
no log. `python -m simlib.models.sample` writes `data/samples/sample.swf.gz`.
"""

import numpy as np
import pandas as pd

from .._util import checks, paths
from ..core.workload import Workload
from ..logs.swf import write_swf

_PROCS = 128
_JOBS = 6000
_LOAD = 0.95  # before long jobs are cut at the largest estimate; about 0.7 is left
_START = pd.Timestamp("2026-01-01", tz="UTC")
_DAYS = 90
_HEADER = (
    " Version: 2.2",
    " Computer: none",
    " Note: SYNTHETIC. Made up by simlib.models.sample; not the log of any machine.",
    f" MaxProcs: {_PROCS}",
    f" UnixStartTime: {int(_START.timestamp())}",
    " TimeZoneString: UTC",
)
_ROUND_VALUES = 60 * np.array([5, 10, 15, 30, 60, 120, 240, 360, 480, 720, 1080])


def sample(seed: int = 1) -> Workload:
    """Make the sample log; the same seed, a whole number of at least 0, gives the same jobs.

    Examples
    --------
    >>> sample()
    <Workload sample: 6,000 jobs on 128 processors, 2026-01-01 to 2026-03-31, SYNTHETIC>
    """
    checks.whole("sample", "seed", seed, 0)
    rng = np.random.default_rng(seed)
    users = 40
    falling = 1 / np.arange(1, users + 1)  # the k-th user has a chance that falls as 1 / k
    user = rng.choice(users, _JOBS, p=falling / falling.sum())
    typical = np.exp(rng.normal(7.5, 1.4, users))[user]  # seconds
    fails = rng.random(_JOBS) < 0.1
    run = typical * np.exp(rng.normal(0, 0.8, _JOBS))
    run[fails] = rng.integers(0, 90, fails.sum())

    size = 2 ** rng.choice(8, _JOBS, p=np.array([24, 14, 16, 16, 14, 10, 5, 1]) / 100)
    odd = rng.random(_JOBS) < 0.15
    size[odd] = rng.integers(1, 40, odd.sum())

    run[~fails] *= _LOAD * _PROCS * _DAYS * 86400 / (run @ size)
    run = np.minimum(run, _ROUND_VALUES[-1]).astype(np.int64)
    wanted = np.where(fails, 2 * typical, run / rng.uniform(0.05, 1.0, _JOBS))  # most ask for far too much
    estimate = _ROUND_VALUES[np.searchsorted(_ROUND_VALUES[:-1], wanted)]
    low = rng.random(_JOBS) < 0.05  # some for too little
    estimate[low] = _ROUND_VALUES[np.maximum(np.searchsorted(_ROUND_VALUES[:-1], run[low]) - 1, 0)]
    killed = run >= estimate
    run = np.minimum(run, estimate)

    hours = np.arange(24)
    busy = 1 + 0.8 * np.cos((hours - 14) * 2 * np.pi / 24)  # all days alike, most at two in the afternoon
    hour = rng.choice(24, _JOBS, p=busy / busy.sum())
    submit = rng.integers(0, _DAYS, _JOBS) * 86400 + hour * 3600 + rng.integers(0, 3600, _JOBS)
    jobs = pd.DataFrame(
        {
            "submit": np.sort(submit),
            "run": run,
            "procs": size,
            "estimate": estimate,
            "user": user + 1,
            "group": user % 7 + 1,
            "app": user * 3 % 50 + 1,
            "queue": 1,
            "status": np.where(killed, 5, np.where(fails, 0, 1)),
        },
        index=pd.RangeIndex(1, _JOBS + 1, name="job"),
    )
    return Workload(jobs, _PROCS, "sample", start=_START, header=_HEADER, synthetic=True)


if __name__ == "__main__":
    write_swf(sample(), paths.DATA / "samples" / "sample.swf.gz")
