"""A raw dump of sacct is taken like a log, and what is neither gets the command that makes one."""

import gzip

import pytest
from dump import dump

import simlib_report as report
from simlib import SWFError
from simlib.__main__ import main
from simlib.logs import sacct


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """The path of a small dump."""
    path = tmp_path_factory.mktemp("dump") / "jobs.2024.txt"
    path.write_text(dump(jobs=400))
    return path


def test_what_sacct_printed_is_taken_as_the_log_that_is_made_of_it(printed, tmp_path):
    sacct.convert(printed, tmp_path / "jobs.swf", timezone="Europe/Berlin")
    log, taken = report.taken(tmp_path / "jobs.swf"), report.taken(printed, timezone="Europe/Berlin")
    assert taken.equals(log) and taken.name == "jobs" and taken.source["file"] == "jobs.2024.txt"
    (tmp_path / "jobs.txt.gz").write_bytes(gzip.compress(printed.read_bytes()))
    assert report.taken(tmp_path / "jobs.txt.gz", timezone="Europe/Berlin").equals(taken)
    assert any("had GPUs" in sentence for sentence in report.doubtful(taken))


def test_the_options_are_those_of_the_conversion(printed):
    nodes = report.taken(printed, procs=20, unit="nodes", gpus=99)
    assert nodes.procs == 20 and nodes.jobs.procs.max() == 8 and " MaxGPUs: 99" in nodes.header
    part = report.taken(printed, procs=128, partition="gpu")
    assert part.procs == 128 and part.log.partition.loc[part.jobs.index].nunique() == 1


def test_names_are_known_only_where_they_are_asked_for(printed):
    hidden, known = report.names(report.taken(printed)), report.names(report.taken(printed, names=True))
    assert hidden["user"] == hidden["group"] == hidden["queue"] == {}
    assert hidden["partition"] == known["partition"] and {*known["partition"].values()} == {"batch", "debug", "gpu"}
    assert "user01" in known["user"].values() and {*known["queue"].values()} == {"high", "normal"}


def test_output_without_a_header_and_one_of_several_clusters_are_taken(tmp_path, capsys):
    header, *rows = dump(jobs=400).splitlines()
    named = [f"{row}|c{number % 2}" for number, row in enumerate(rows)]
    (tmp_path / "jobs.txt").write_text("\n".join(named) + "\n")
    columns = [*header.split("|"), "Cluster"]
    both = [len(report.taken(tmp_path / "jobs.txt", columns=columns, cluster=name)) for name in ("c0", "c1")]
    (tmp_path / "whole.txt").write_text("\n".join([header, *rows]) + "\n")
    assert sum(both) == len(report.taken(tmp_path / "whole.txt")) and min(both) > 0
    assert main(["report", str(tmp_path / "jobs.txt"), "--columns", ",".join(columns)]) == 1
    assert "--cluster c0" in capsys.readouterr().err
    assert (
        main(["from-sacct", str(tmp_path / "jobs.txt"), str(tmp_path / "a.swf"), "--columns", ",".join(columns)]) == 1
    )
    options = ["--columns", ",".join(columns), "--cluster", "c0", "--timezone", "UTC"]
    assert main(["from-sacct", str(tmp_path / "jobs.txt"), str(tmp_path / "a.swf"), *options]) == 0


def test_what_was_left_out_of_a_dump_is_said(tmp_path):
    lines = dump(jobs=50).splitlines()
    lines.append(lines[1].replace("1001_0|", "1001_0.batch|"))
    (tmp_path / "jobs.txt").write_text("\n".join(lines))
    assert "jobs: 1 records were left out: job steps." in report.doubtful(report.taken(tmp_path / "jobs.txt"))


@pytest.mark.parametrize("text", ["JobID  JobName  Partition\n----\n12  wave  batch\n", "submit,run\n1,2\n"])
def test_what_is_neither_a_log_nor_a_dump_gets_the_command_that_makes_one(tmp_path, text):
    (tmp_path / "jobs.txt").write_text(text)
    with pytest.raises(SWFError, match="line 1: found .*, expected a log in the Standard Workload Format") as error:
        report.taken(tmp_path / "jobs.txt")
    assert sacct.COMMAND in str(error.value)
    (tmp_path / "jobs.txt").write_text("JobID|State\n1|COMPLETED\n")
    with pytest.raises(SWFError, match="found no column Submit, Start, ") as error:
        report.taken(tmp_path / "jobs.txt")
    assert sacct.COMMAND in str(error.value)
