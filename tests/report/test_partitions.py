"""Partitions are machines of their own in one run, or share nodes where that is told; the sums are of the parts."""

import numpy as np
import pytest
from dump import CPUS, GPUS, dump
from helpers import numbered

import simlib
import simlib_report as report
from simlib import EASY, Conservative, OwnPolicy, Workload, compare
from simlib.logs.swf import jobs_of
from simlib_report.partitions import division, on_partitions, partitions, together


@pytest.fixture(scope="module")
def w(tmp_path_factory):
    """A quarter of a year of the made-up cluster."""
    path = tmp_path_factory.mktemp("dump") / "jobs.txt"
    path.write_text(dump(jobs=1500))
    return report.taken(path)


@pytest.fixture(scope="module")
def parts(w):
    return partitions(w, {"batch+debug": CPUS["batch+debug"]})


def test_a_partition_that_is_not_named_is_as_large_as_what_was_in_use(parts):
    assert {called: part.procs for called, part in parts.items()} == CPUS


def test_partitions_that_share_nodes_are_too_small_alone(w):
    assert {called: part.procs for called, part in partitions(w).items()} == CPUS  # they do not fit on the machine
    alone = partitions(w.with_procs(10_000))
    assert list(alone) == ["batch", "debug", "gpu"] and alone["debug"].procs < 64 < alone["batch"].procs
    assert sum(map(len, alone.values())) == len(w)


@pytest.mark.parametrize("policy", [EASY(), EASY(reuse_extra=True), Conservative()])
def test_each_part_is_scheduled_as_if_it_were_alone_also_where_it_is_shaken(w, parts, policy):
    whole = together(w, parts)
    assert whole.procs == sum(CPUS.values()) and len(whole) == len(w)
    cases = {"EASY": on_partitions(EASY(), parts), "policy": on_partitions(policy, parts)}
    found = compare(whole, cases, shakes=4, by=["partition"], least=1)
    waits = []
    for log in (whole, *(whole.shake(60, seed) for seed in range(4))):
        of_parts = (log.select(np.isin(log.jobs.index, part.jobs.index)) for part in parts.values())
        alone = [simlib.simulate(one.with_procs(n), policy) for one, n in zip(of_parts, CPUS.values(), strict=True)]
        waits.append(np.concatenate([schedule.column("wait") for schedule in alone]).mean())
    assert found.table.loc["policy", "all", "all", "wait", "mean"].value == pytest.approx(np.mean(waits))
    assert found.table.xs(("partition", "wait", "mean"), level=("by", "measure", "statistic")).jobs.sum() == len(w)


def log(**fields):
    """Three jobs of two partitions, of which the header names one."""
    made = numbered([(0, 10, 10, 3), (1, 5, 8, 6), (2, 9, 9, 2)], 8)
    lines = made.log.assign(**{"partition": [1, 2, 1], "wait": 0} | fields)
    return Workload(jobs_of(lines), 8, "made up", header=[" Partition: 1 cpu"], log=lines)


def test_a_job_larger_than_its_partition_takes_no_part():
    parts = partitions(log(), {"cpu": 2})
    assert [(called, part.procs, len(part)) for called, part in parts.items()] == [("cpu", 2, 1), ("2", 6, 1)]
    whole = together(log(), parts)
    assert (whole.procs, len(whole), whole.history[-1]) == (8, 2, "1 larger than their partition")
    simlib.simulate(whole, on_partitions(EASY(), parts)).check()


@pytest.mark.parametrize(
    "fields, sizes, message",
    [
        ({"partition": -1}, {}, "made up: found no partition, expected a log with field 16"),
        ({}, {"gpu": 4}, "found partition 'gpu', expected some of cpu, 2"),
        ({}, {"cpu+2": 4, "1": 3}, "found partition cpu twice, expected it once"),
        ({"wait": -1}, {"cpu": 3}, "partition 2: found jobs without a recorded wait, expected the size .*: 512"),
        ({}, {"cpu": 0}, "machine size: found procs=0"),
    ],
)
def test_what_cannot_be_divided_is_refused(fields, sizes, message):
    with pytest.raises(ValueError, match=message):
        partitions(log(**fields), sizes)


def test_what_partitions_cannot_do_is_refused():
    parts = partitions(log())
    whole, easy = together(log(), parts), on_partitions(EASY(), parts)
    with pytest.raises(ValueError, match="EASY.. in each of cpu, 2: found a machine of 12 processors, expected 11"):
        simlib.simulate(whole.with_procs(12), easy)
    with pytest.raises(ValueError, match="found jobs of another log"):
        simlib.simulate(whole.derive(whole.jobs.set_axis([7, 8, 9]), "numbered anew"), easy)
    with pytest.raises(ValueError, match="expected a policy of simlib"):
        on_partitions(OwnPolicy(lambda queue, machine: None), parts)


def test_partitions_that_are_larger_than_the_machine_together_share_nodes():
    # two partitions of four processors are busy at different times, a third one of two beside them
    rows = [(0, 50, 50, 4), (60, 50, 50, 4), (120, 50, 50, 4), (0, 170, 170, 2)]
    w = numbered(rows, 6)
    log = w.log.assign(wait=0, partition=[1, 2, 1, 3])
    w = Workload(w.jobs, 6, log=log)
    assert {called: part.procs for called, part in partitions(w).items()} == {"1+2": 4, "3": 2}
    assert {called: part.procs for called, part in partitions(w.with_procs(10)).items()} == {"1": 4, "2": 4, "3": 2}


def test_a_what_if_on_the_machine_s_size_changes_all_partitions_in_proportion(w, parts):
    whole = together(w, parts)
    cases = {"base": EASY(), "more": report.what_if("procs +50%")[1], "fewer": report.what_if("procs -25%")[1]}
    cases = {name: on_partitions(case, parts) for name, case in cases.items()}
    assert [size for _, size, _ in cases["more"][0].machines] == [int(size * 1.5) for size in CPUS.values()]
    found = compare(whole, cases, shakes=4, by=["all"])
    mean = found.table.loc[:, "all", "all", "wait", "mean"]
    assert mean.loc["more"].value < mean.loc["more"].base < mean.loc["fewer"].value


def test_partitions_can_be_merged_and_gpus_split_off(w, parts):
    three = partitions(w.with_procs(10_000))
    both = division("merge batch+debug+gpu", together(w, three), three, EASY())
    assert [called for called, *_ in both.machines] == ["batch+debug+gpu"]
    apart = division("gpus apart", w, {}, EASY())
    gpu = CPUS["gpu"]
    assert apart[0].machines == (("with GPUs", gpu, GPUS), ("without GPUs", w.procs - gpu, 0))
    assert compare(w, {"one machine": EASY(), "apart": apart}, shakes=4, by=["all"]).table is not None
    with pytest.raises(ValueError, match="merge: found x, expected two or more of batch"):
        division("merge batch+x", w, three, EASY())
    with pytest.raises(ValueError, match="found 0 jobs with GPUs, expected some with and some without"):
        division("gpus apart", log(), {}, EASY())
    with pytest.raises(ValueError, match="with partitions, expected one machine"):
        division("gpus apart", w, parts, EASY())
