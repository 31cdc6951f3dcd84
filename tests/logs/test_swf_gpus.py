"""Logs that say which GPUs jobs need, and what workloads on machines with GPUs become."""

import pandas as pd
import pytest

from simlib import EASY, SWFError, Workload, read_swf, simulate, write_swf
from simlib.logs.swf import FIELDS

HEADER = "; MaxProcs: 8\n; MaxGPUs: 4\n; Field 19: energy\n; Field 20: gpus\n; Partition: 1 cpu\n; Partition: 2 gpu\n"
LINES = "1 0 -1 60 4 {rest} 1 -1 -1 7 -1\n2 5 -1 60 2 {rest} 2 -1 -1 8 2\n3 9 -1 60 2 {rest} 2 -1 -1 9 5\n"
TEXT = HEADER + LINES.format(rest="-1 -1 -1 90" + 6 * " -1")


@pytest.fixture
def read(tmp_path):
    def written(text, **options):
        path = tmp_path / "log.swf"
        path.write_text(text)
        return read_swf(path, **options)

    return written


def test_a_log_with_a_field_gpus_is_a_workload_on_a_machine_with_gpus(read):
    w = read(TEXT)
    assert (w.procs, w.gpus, w.needs_gpus) == (8, 4, True)
    assert w.jobs.gpus.to_dict() == {1: 0, 2: 2}
    assert w.dropped.to_dict() == {3: "more GPUs than the machine has"}
    assert "on 8 processors and 4 GPUs; 1 dropped (more GPUs than the machine has)" in repr(w)
    assert len(read(TEXT, gpus=5)) == 3


def test_a_log_does_not_hide_gpus_that_jobs_need(read):
    without = TEXT.replace("; MaxGPUs: 4\n", "")
    with pytest.raises(SWFError, match="found jobs that need GPUs, .*MaxGPUs"):
        read(without)
    with pytest.raises(SWFError, match="header line MaxGPUs: found 'four'"):
        read(TEXT.replace("MaxGPUs: 4", "MaxGPUs: four"))
    assert read(without, gpus=0).dropped.tolist() == ["more GPUs than the machine has"] * 2
    plain = read(without.replace("8 2\n", "8 0\n").replace("9 5\n", "9 -1\n"))
    assert plain.gpus == 0 and "gpus" not in plain.jobs


def test_it_reads_back_equal_with_gpus_and_without_them(read, tmp_path):
    w = read(TEXT)
    made = Workload(w.jobs.drop(columns="user"), 8, gpus=4)
    for one in (w, made, w.without_gpus(), w.with_procs(8, gpus=2), w.select("gpus == 0"), simulate(w, EASY())):
        write_swf(one, tmp_path / "again.swf")
        assert read_swf(tmp_path / "again.swf").equals(getattr(one, "workload", one))
    log = read_swf(tmp_path / "again.swf").log
    assert list(log)[len(FIELDS) :] == ["energy", "gpus"] and log.energy.tolist() == [7, 8]


def test_a_partition_with_gpus_needs_their_number(read):
    w = read(TEXT)
    with pytest.raises(ValueError, match="partition gpu: found jobs that need GPUs"):
        w.partition("gpu", procs=4)
    assert w.partition("gpu", procs=4, gpus=2).gpus == 2
    assert w.partition("cpu", procs=4).gpus == 0


def test_a_machine_with_other_gpus_or_none_has_other_jobs():
    table = pd.DataFrame({"submit": [0, 5, 9], "run": 60, "procs": [3, 2, 1], "gpus": [0, 2, 1]})
    w = Workload(table, 4, gpus=2)

    assert w.with_procs(4, gpus=1).dropped.to_dict() == {1: "more GPUs than the machine has"}
    assert "4 GPUs instead of 2" in repr(w.with_procs(4, gpus=4))
    assert not w.equals(w.with_procs(4, gpus=3))
    assert list(w.without_gpus().jobs) == list(Workload(table.drop(columns="gpus"), 4).jobs)
    assert "2 GPUs left out, which 2 of 3 jobs need" in repr(w.without_gpus())


def test_gpus_that_cannot_be_are_refused_and_those_of_a_machine_without_any_are_dropped():
    table = pd.DataFrame({"submit": [0, 5], "run": 60, "procs": 1, "gpus": [0, 2]})
    assert Workload(table, 4).dropped.to_dict() == {1: "more GPUs than the machine has"}
    for gpus in ([0, -1], [0, 0.5]):
        with pytest.raises(ValueError, match=f"column gpus: job 1: found {gpus[1]}"):
            Workload(table.assign(gpus=gpus), 4, gpus=2)
    with pytest.raises(ValueError, match="column gpus: found 3"):
        Workload(table, 4, gpus=2).derive(table.assign(gpus=3), "too many")
