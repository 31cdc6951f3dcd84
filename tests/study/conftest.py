"""Small logs in place of the papers', for notebooks that are run to the end in a test."""

from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from simlib import Workload, load, write_swf
from simlib._util import paths
from simlib.logs import archive
from simlib.logs.swf import jobs_of
from simlib_study import loading, mualem2001, records

HERE = "CTC-SP2", "KTH-SP2", "SDSC-SP2", "SDSC-Par-96", "LANL-CM5", "SDSC-DS"
DAYS = 70


def small(name, variant=None, months=0):
    """The first days of the sample in place of a log, by a clock so slow that they last for so many months."""
    log = sample()
    if name in HERE:  # another week of it, for they are not the same
        begin = 7 * 86400 * HERE.index(name)
        log = log[log.submit.between(begin, begin + 86400 * DAYS)]
        log = log.assign(submit=log.submit - begin)
    slow = 31 * months // DAYS + 1
    times = log[["submit", "wait", "run", "requested_time"]]
    log = log.assign(**times.where(times < 0, times * slow))
    first = {setting["log"]: setting["months"][0] for setting in loading.settings("mualem2001")}.get(name, "2004-03")
    start = pd.Timestamp(f"{first}-01", tz="US/Pacific")
    source = {"file": f"{name}.swf", "variant": variant or "original", "sha256": "0" * 64, "verified": True}
    return Workload(jobs_of(log), 128, name, log=log, start=start, source=source)


@cache
def sample():
    return load("sample").log


@pytest.fixture(scope="session")
def committed():
    """What the committed records say, read once; who changes it changes a copy."""
    return records.outcomes(paths.ROOT / "figures")


@pytest.fixture
def small_logs(monkeypatch, root):
    """Some logs are here, all of them small."""
    sample()  # while there is the real one
    monkeypatch.setattr(archive, "find", lambda name, variant=None: Path(name) if name in HERE else None)
    monkeypatch.setattr(loading, "load", cache(small))
    months = {one["log"]: len(pd.period_range(*one["months"], freq="M")) for one in loading.settings("mualem2001")}
    slow = cache(lambda name, variant=None: small(name, variant, months[name]))

    def take(rows):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loading, "load", slow)
            return loading.take(rows)

    monkeypatch.setattr(mualem2001, "take", take)
    return root


@pytest.fixture
def mine(tmp_path):
    """A log of three months that no test or catalogue has."""
    path = tmp_path / "mine.swf.gz"
    write_swf(load("sample").between("2026-01-01", "2026-03-20"), path)
    return path
