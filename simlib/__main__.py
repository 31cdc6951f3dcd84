"""`python -m simlib logs` lists the catalogue; `python -m simlib fetch [NAME...]` downloads what is not here;
`python -m simlib from-sacct INPUT OUTPUT.swf.gz` makes a log of your own Slurm cluster;
`python -m simlib report LOG` makes a page about a log: what other policies would do, and how sure that is;
`python -m simlib course FOLDER` writes a copy of the course for students, or for instructors;
`python -m simlib grade FOLDER --out grades.csv` grades the notebooks that students handed in;
`python -m simlib compile` compiles the simulator's kernels."""

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence

import numpy as np

from . import (
    EASY,
    FCFS,
    Conservative,
    Multifactor,
    Workload,
    allotment,
    archive,
    compare,
    doubts,
    estimates,
    load_curves,
    loading,
    paths,
    sacct,
    simulate,
    swf,
    walltime,
)


def logs() -> int:
    """Print what is known, what is here, and which variant."""
    known = archive.catalogue()["logs"]
    width = max(map(len, known))
    for name, about in known.items():
        try:
            found = archive.find(name)
            where = f"{found[1].variant}: {found[0]}{_doubt(found[1])}" if found else "not here"
        except archive.ArchiveError as error:
            where = f"UNUSABLE: {error}"
        print(f"{name:{width}}  {about['title']}\n{'':{width}}  {where}")
    print(
        "\nLogs come from the Parallel Workloads Archive, which asks for this citation:",
        archive.catalogue()["citation"],
    )
    return 0


def _doubt(file: archive.File) -> str:
    """What is said behind a file that could as well be another."""
    return "" if file.verified else f" ({archive.NOT_VERIFIED})"


def fetch(names: Sequence[str]) -> int:
    """Download the logs that are not here. Returns the exit status: 1 where one could not be had."""
    failed = 0
    for name in names or archive.catalogue()["logs"]:
        try:
            if archive.find(name):
                print(f"{name}: here already")
            else:
                path = archive.fetch(name, progress=sys.stderr.isatty())
                found = archive.find(name)
                doubt = _doubt(found[1]) if found else ""
                print(f"{name}: {path}{doubt}\n  {archive.entry(name)['acknowledgement']}")
        except archive.Unreachable as error:
            print(f"{error}; not trying the others", file=sys.stderr)
            return 1
        except archive.ArchiveError as error:
            print(error, file=sys.stderr)
            failed = 1
    return failed


def from_sacct(source: str, target: str, unit: str, procs: int | None, timezone: str | None) -> int:
    """Convert sacct's output and print what became of it."""
    if timezone is None:
        timezone = "UTC"
        print("no --timezone: the log's days and months, and times without a zone, are UTC", file=sys.stderr)
    for what, count in sacct.convert(source, target, unit=unit, procs=procs, timezone=timezone).items():
        print(f"{count:>12,}  {what}")
    with warnings.catch_warnings(record=True, action="always") as doubts:
        workload = swf.read_swf(target)
    print(*(doubt.message for doubt in doubts), sep="\n", end="\n" * bool(doubts), file=sys.stderr)
    print(*[line.strip() for line in workload.header if "Note:" in line], workload, sep="\n")
    return 0


def report(
    log: str, out: str | None, procs: int | None, partition: str | None, first: str | None, last: str | None
) -> int:
    """Make a page about a log. Returns the exit status: 1 where it could not be made."""
    from .cluster import page  # slow to import

    try:
        path = page.report(log, out, procs, partition, first, last, progress=sys.stderr.isatty())
    except page.ReportError as error:
        print(error, file=sys.stderr)
        return 1
    print(path)
    return 0


def _positive(text: str) -> float:
    """Read a number above zero from the command line."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise ValueError
    return number


def _count(text: str) -> int:
    """Read a whole number of at least one from the command line."""
    return int(_positive(str(int(text))))


def course(folder: str, instructor: bool, nbgrader: bool) -> int:
    """Write a copy of the course. Returns the exit status: 1 where files would be overwritten."""
    from .course import handout  # seldom needed

    try:
        written = handout.write(folder, instructor, nbgrader)
    except handout.HandoutError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{folder}: {len(written)} files")
    return 0


def grade(folder: str, out: str, jobs: int | None, seconds: float, memory: float) -> int:
    """Grade notebooks. Returns the exit status: 1 where there are none."""
    if sys.platform == "win32":
        print("grade: notebooks cannot be limited on Windows; use WSL there", file=sys.stderr)
        return 1
    from .course import grading  # slow to import
    from .course.collecting import CollectError
    from .course.fencing import UNFENCED, version

    try:
        if version() < 6:
            print(UNFENCED, file=sys.stderr)
        rows = grading.grade(folder, out, jobs, seconds, memory, progress=sys.stderr.isatty())
    except CollectError as error:
        print(error, file=sys.stderr)
        return 1
    print(*grading.told(rows), f"{out}, {grading.mistakes_page(out)}", sep="\n")
    return 0


def compile_kernels() -> int:
    """Use every kernel of the library that Python calls once; otherwise one waits when it is first used."""
    workload, scheme = loading.load("sample"), walltime.Scheme()
    compare(workload, {"EASY": EASY(), "FCFS": FCFS()}, shakes=3, resamples=1)
    start, end, procs, machine = (np.array([0]), np.array([1]), np.array([1]), 1)
    allotment.pieces(start, end, procs, machine)
    load_curves.at_load(workload, 0.8, {"EASY": EASY(), "FCFS": FCFS()}, batch=100)
    adjusting, fair = EASY(adjust=walltime.Adjustment(scheme)), EASY(order=Multifactor())
    others = adjusting, fair, EASY(backfill="sjf"), EASY(backfill="best-fit"), EASY(reservations=2), EASY.plus_plus()
    for policy in (FCFS(), EASY(), Conservative(), *others):  # one for each way in which a kernel is compiled
        simulate(workload, policy).summary()
    walltime.adjusted(workload.jobs, workload.jobs.submit + workload.jobs.run, scheme)
    workload.with_estimates(estimates.Historical())
    if workload.log is not None:
        doubts.doubts(Workload(workload.jobs, workload.procs, log=workload.log.assign(wait=0)))  # as if recorded
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m simlib", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("logs", help="list the catalogue: what is known, what is here, which variant")
    commands.add_parser("compile", help="compile the simulator's kernels, so that nobody waits for it later")
    command = commands.add_parser("fetch", help="download logs from the Parallel Workloads Archive and verify them")
    command.add_argument("names", nargs="*", metavar="NAME", help="names in the catalogue; by default all")
    command = commands.add_parser(
        "from-sacct",
        help="convert the output of Slurm's sacct to a log with anonymous users",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="INPUT is what this prints, run by one who may see all jobs:\n" + sacct.COMMAND,
    )
    command.add_argument("source", metavar="INPUT", help="what sacct --parsable2 printed")
    command.add_argument("target", metavar="OUTPUT", help="the log to write, such as mine.swf.gz")
    command.add_argument(
        "--nodes", dest="unit", action="store_const", const="nodes", default="cpus", help="count nodes instead of CPUs"
    )
    command.add_argument("--procs", type=int, metavar="N", help="the machine's size; default: the most in use at once")
    command.add_argument("--timezone", metavar="NAME", help="the cluster's, such as Europe/Berlin")
    command = commands.add_parser("report", help="make a page about a log: what would other scheduling policies do?")
    command.add_argument("log", metavar="LOG", help="a log such as mine.swf.gz, or a name in the catalogue")
    command.add_argument("--out", metavar="PAGE.html", help="default: the log's name, in the current folder")
    command.add_argument("--procs", type=int, metavar="N", help="the size of the machine, or of the partition")
    command.add_argument("--partition", metavar="P", help="only its jobs, by name or number; needs --procs")
    command.add_argument("--from", dest="first", metavar="DATE", help="only jobs submitted from then on: 2012-05-03")
    command.add_argument("--to", dest="last", metavar="DATE", help="only jobs submitted before then")
    command = commands.add_parser("course", help="write a copy of the course: lessons in notebooks, without solutions")
    command.add_argument("folder", metavar="FOLDER", help="where to; nothing is overwritten")
    kinds = command.add_mutually_exclusive_group()
    kinds.add_argument("--instructor", action="store_true", help="with the solutions and the pages for those who teach")
    kinds.add_argument("--nbgrader", action="store_true", help="as the source of a course for nbgrader instead")
    command = commands.add_parser("grade", help="grade the notebooks of the course that students handed in")
    command.add_argument("folder", metavar="FOLDER", help="with a folder or a notebook a student")
    command.add_argument("--out", metavar="GRADES.csv", required=True, help="a row a student and exercise")
    command.add_argument("--jobs", type=_count, metavar="N", help="how many notebooks at once; default: all cores")
    command.add_argument("--seconds", type=_positive, metavar="S", default=120, help="for a notebook; default: 120")
    command.add_argument("--memory", type=_positive, metavar="GB", default=2, help="for a notebook; default: 2")
    given = vars(parser.parse_args(arguments))
    commands_by_name: dict[str, Callable[..., int]] = {
        "logs": logs,
        "compile": compile_kernels,
        "fetch": fetch,
        "from-sacct": from_sacct,
        "report": report,
        "course": course,
        "grade": grade,
    }
    try:
        return commands_by_name[given.pop("command")](**given)
    except (archive.ArchiveError, swf.SWFError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    paths.end_tidily()
    sys.exit(main())
