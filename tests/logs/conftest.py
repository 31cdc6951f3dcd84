"""What several modules set up to convert records of Slurm."""

import warnings

import pytest
from sacct_records import text

import simlib
from simlib.logs import sacct
from simlib.logs.swf import LogWarning


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("sacct")


@pytest.fixture(scope="module")
def convert(folder):
    """A function that converts records, or a text, and returns the workload and the counts."""

    def convert(records, **options):
        source, target = folder / "jobs.txt", folder / "jobs.swf"
        source.write_text(records if isinstance(records, str) else text(records))
        counts = sacct.convert(source, target, **options)
        with warnings.catch_warnings(action="ignore", category=LogWarning):  # of jobs without a time limit
            return simlib.read_swf(target), counts

    return convert
