"""Schedules written for other people's tools."""

import numpy as np
import pandas as pd
import pytest
from helpers import numbered, random_workload

import simlib
from simlib import EASY, FCFS, simulate, write_evalys

COLUMNS = (
    "job_id workload_name submission_time requested_number_of_resources requested_time success starting_time "
    "execution_time finish_time waiting_time turnaround_time stretch allocated_resources"
).split()  # evalys.jobset.JobSet.columns


def written(schedule, folder):
    """What is in the file, as evalys reads it: allocated resources as text."""
    write_evalys(schedule, folder / "jobs.csv")
    return pd.read_csv(folder / "jobs.csv", keep_default_na=False)


def processors(text):
    """The numbers in an interval set such as "0-3 7"."""
    ends = [part.split("-") for part in text.split()]
    return {number for part in ends for number in range(int(part[0]), int(part[-1]) + 1)}


def test_evalys_has_its_columns_and_the_schedules_times(workload, tmp_path):
    s = simulate(workload([(0, 10, 15, 3), (1, 5, 8, 2), (2, 0, 9, 1)], 4, name="few"), EASY())
    table = written(s, tmp_path)
    assert list(table) == COLUMNS
    assert table.iloc[1].to_list() == [1, "few", 1, 2, 8, 1, 10, 5, 15, 9, 14, 2.8, "0-1"]
    assert table.allocated_resources.tolist() == ["0-2", "0-1", ""]  # a job of no length has none


def test_what_failed_is_told(tmp_path):
    w = numbered([(0, 5, 5, 1)] * 4, 4)
    w = w.derive(w.jobs.assign(status=[1, 0, 5, -1]), "outcomes")
    assert written(simulate(w, FCFS()), tmp_path).success.tolist() == [1, 0, 0, 1]


def test_no_processor_has_two_jobs_at_once(tmp_path):
    s = simulate(random_workload(5, jobs=300), EASY())
    table = written(s, tmp_path)
    sets = [processors(text) for text in table.allocated_resources]
    assert [len(each) for each in sets] == np.where(s.jobs.run > 0, s.jobs.procs, 0).tolist()
    assert max(set().union(*sets)) < 64
    for one in range(len(table)):
        overlap = (table.starting_time < table.finish_time[one]) & (table.finish_time > table.starting_time[one])
        assert all(not sets[one] & sets[other] for other in np.flatnonzero(overlap) if other != one)


@pytest.mark.slow
def test_a_recorded_schedule_that_exceeds_the_machine_is_written_too(log, tmp_path):
    with pytest.warns(simlib.LogWarning, match="up to 104 processors"):
        s = simlib.recorded(log("KTH-SP2"))
    assert max(processors(" ".join(written(s, tmp_path).allocated_resources))) == 103
