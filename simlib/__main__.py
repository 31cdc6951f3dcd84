"""Simulate parallel job scheduling, and ask what other policies would make of a log."""

import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click
import numpy as np

from ._util import paths
from .analysis import load_curves
from .analysis.comparison import compare
from .core import estimates
from .core.metrics import pieces
from .core.schedule import simulate
from .core.workload import Workload
from .logs import archive, sacct, swf, tables
from .policies import walltime
from .policies.conservative import Conservative, SlurmBackfill
from .policies.easy import EASY, FCFS
from .policies.orders import Multifactor


class _Fault(click.ClickException):
    """A command that could not be carried out; the message says why."""

    def show(self, file: Any = None) -> None:
        click.echo(self.message, file or sys.stderr)


class _Positive(click.FloatRange):
    """A finite number above zero."""

    def __init__(self) -> None:
        super().__init__(min=0, max=float("inf"), min_open=True, max_open=True)

    def convert(self, value: Any, parameter: Any, context: Any) -> Any:
        number = super().convert(value, parameter, context)
        return self.fail(f"{value!r} is no number", parameter, context) if number != number else number


@click.group(help=__doc__, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def commands() -> None:
    """Hold the commands below."""


@commands.command()
def logs() -> None:
    """List the catalogue of logs, and what is here."""
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


def _doubt(file: archive.File) -> str:
    """Write the remark for a file that no digest identifies."""
    return "" if file.verified else f" ({archive.NOT_VERIFIED})"


@commands.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
def fetch(names: Sequence[str]) -> int:
    """Download logs, and verify them.

    From the Parallel Workloads Archive. NAME is one in the catalogue; without names all that are not here are fetched.
    """
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
            raise _Fault(f"{error}; not trying the others") from None
        except archive.ArchiveError as error:
            print(error, file=sys.stderr)
            failed = 1
    return failed


@commands.command(epilog="INPUT is what this prints, run by one who may see all jobs:\n\n\b\n" + sacct.COMMAND)
@click.argument("source", metavar="INPUT")
@click.argument("target", metavar="OUTPUT")
@click.option("--nodes", is_flag=True, help="Count nodes instead of CPUs.")
@click.option("--procs", type=int, metavar="N", help="The machine's size; default: the most in use at once.")
@click.option("--timezone", metavar="NAME", help="The cluster's, such as Europe/Berlin.")
@click.option("--cluster", metavar="NAME", help="Only its records, where the column Cluster names several.")
@click.option("--columns", metavar="NAMES", help="Of output with --noheader, with commas: JobID,Submit,...")
def from_sacct(source: str, target: str, nodes: bool, timezone: str | None, **given: Any) -> None:
    """Convert the output of Slurm's sacct to a log.

    OUTPUT is the log to write, such as mine.swf.gz; its users are anonymous.
    """
    unit = "nodes" if nodes else "cpus"
    if timezone is None:
        timezone = "UTC"
        print("no --timezone: the log's days and months, and times without a zone, are UTC", file=sys.stderr)
    counts = sacct.convert(source, target, unit=unit, timezone=timezone, **given)
    for what, count in counts.items():
        if not what.startswith("left out"):  # notes of the log say this, too
            print(f"{count:>12,}  {what}")
    _show(target)


def _show(log: str) -> None:
    """Show what a written log contains, and what is doubtful about it."""
    with warnings.catch_warnings(record=True, action="always") as doubts:
        workload = swf.read_swf(log)
    print(*(doubt.message for doubt in doubts), sep="\n", end="\n" * bool(doubts), file=sys.stderr)
    print(*[line.strip() for line in workload.header if "Note:" in line], workload, sep="\n")


@commands.command()
@click.argument("source", metavar="INPUT")
@click.argument("target", metavar="OUTPUT")
@click.option("--columns", required=True, type=click.Choice(list(tables.MAPPINGS)), help="Whose table it is.")
@click.option("--procs", required=True, type=int, metavar="N", help="The machine's size, in nodes.")
@click.option("--timezone", metavar="NAME", help="The cluster's, such as Europe/Berlin.")
def from_table(source: str, target: str, columns: str, procs: int, timezone: str | None) -> None:
    """Convert a public set, CSV or Parquet, to a log.

    OUTPUT is the log to write, such as mine.swf.gz. Other tables are read in Python: simlib.read_table.
    """
    paths.refuse_unwritable(target, source)
    with warnings.catch_warnings(action="ignore"):  # of what is doubtful, which is shown below
        swf.write_swf(tables.read_table(source, columns, procs, timezone), target)
    _show(target)


@commands.command(
    epilog="""\b
simlib report jobs.txt --timezone Europe/Berlin --base "fair share"
simlib report mine.swf.gz --policies "conservative, EASY-SJBF" --what-if "procs +20%"
simlib report jobs.txt --partitions "batch+debug=400, gpu=64:16" --names"""
)
@click.argument("log")
@click.option("--out", metavar="PAGE.html", help="Default: the log's name, in the current folder.")
@click.option("--base", metavar="POLICY", help="The policy that the cluster runs; default: EASY.")
@click.option("--policies", metavar="NAMES", help="Compare it with these, with commas; an unknown name lists all.")
@click.option("--what-if", "what_ifs", multiple=True, metavar="CHANGE", help="Such as 'procs +20%'; repeatable.")
@click.option("--from", "first", metavar="DATE", help="Only jobs submitted from then on: 2012-05-03.")
@click.option("--to", "last", metavar="DATE", help="Only jobs submitted before then.")
@click.option("--procs", type=int, metavar="N", help="The size of the machine, or of the partition.")
@click.option("--gpus", type=int, metavar="N", help="Its GPUs; 0: leave GPUs out.")
@click.option("--partition", metavar="P", help="Only its jobs, by name or number; needs --procs.")
@click.option("--partitions", metavar="SIZES", help="A machine for each: 'each', or 'batch=400, gpu=64:16' with GPUs.")
@click.option("--names", is_flag=True, help="Show the names of users and partitions, not numbers.")
@click.option("--nodes", is_flag=True, help="Of sacct's output: count nodes, not CPUs.")
@click.option("--timezone", metavar="NAME", help="Of sacct's output: the cluster's, such as Europe/Berlin.")
@click.option("--cluster", metavar="NAME", help="Of sacct's output: only its records, where there are several.")
@click.option("--columns", metavar="NAMES", help="Of sacct's output with --noheader: JobID,Submit,...")
def report(log: str, nodes: bool, **given: Any) -> None:
    """Make a page: would another policy be better?

    The page says what other scheduling policies would make of a log, for whom, and how sure that is.

    LOG is the output of sacct, a file such as mine.swf.gz, or a name in the catalogue.
    """
    import matplotlib

    from .report import page  # slow to import

    matplotlib.use("Agg")  # no window anywhere
    options = {name: value for name, value in given.items() if value is not None}
    try:
        print(page.report(log, unit="nodes" if nodes else None, **options))
    except ValueError as error:
        raise _Fault(str(error)) from None


@commands.command()
@click.argument("folder")
@click.option("--seed", metavar="TEXT", default="", help="Other numbers in some exercises, for each text its own.")
@click.option("--names", type=click.File(encoding="utf-8"), metavar="FILE", help="A name a line: a folder for each.")
@click.option("--nbgrader", is_flag=True, help="As the source of a course for nbgrader instead.")
def course(folder: str, seed: str, names: Any, nbgrader: bool) -> None:
    """Write a copy of the course.

    Into FOLDER, where nothing is overwritten: lessons in notebooks, without solutions. With --names each student gets
    the numbers of his or her name.
    """
    from .course.grading import handout  # seldom needed

    if names and (seed or nbgrader):
        raise click.UsageError("found --names with --seed or --nbgrader, expected one of them")
    students = [line.strip() for line in names or () if line.strip()]
    try:
        written = handout.write(folder, seed, students, nbgrader)
    except handout.HandoutError as error:
        raise _Fault(str(error)) from None
    print(f"{folder}: {len(written)} files")


@commands.command()
@click.argument("folder")
@click.option("--out", metavar="GRADES.csv", required=True, help="A row a student and exercise.")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="How many notebooks at once; default: all cores.")
@click.option("--seconds", type=_Positive(), metavar="S", default=120, help="For a notebook; default: 120.")
@click.option("--memory", type=_Positive(), metavar="GB", default=2, help="For a notebook; default: 2.")
@click.option("--seed", metavar="TEXT", default="", help="The seed with which the lessons were handed out.")
@click.option("--by-name", is_flag=True, help="Each student's name is the seed.")
@click.option("--trust", is_flag=True, help="Run notebooks with all your rights, and not in a closed box.")
def grade(
    folder: str, out: str, jobs: int | None, seconds: float, memory: float, seed: str, by_name: bool, trust: bool
) -> None:
    """Grade the notebooks that students handed in.

    FOLDER has one folder or notebook per student. Needs Linux, and simlib-backfilling[grading].
    """
    if sys.platform == "win32":
        raise _Fault("grade: Windows has no closed box for notebooks; use WSL there")
    try:
        from .course.grading import box, collecting, grading, results  # slow to import
    except ImportError as error:
        raise _Fault(f'grade: {error}; expected what pip install "simlib-backfilling[grading]" installs') from None

    settings = grading.Settings(box.Limits(seconds, memory), seed, by_name, trust)
    try:
        rows = grading.grade(folder, out, settings, jobs, progress=sys.stderr.isatty())
    except (collecting.CollectError, box.BoxError) as error:
        raise _Fault(str(error)) from None
    print(*results.told(rows), f"{out}, and beside it {results.beside(out, '*')}", sep="\n")


@commands.command("compile")
def compile_kernels() -> None:
    """Compile the kernels: nobody waits for it later."""
    # Use every kernel of the library that Python calls once.
    workload, scheme = archive.load("sample"), walltime.Scheme()
    compare(workload, {"EASY": EASY(), "FCFS": FCFS()}, shakes=4)
    start, end, procs, machine = (np.array([0]), np.array([1]), np.array([1]), 1)
    pieces(start, end, procs, machine)
    load_curves.at_load(workload, 0.8, {"EASY": EASY(), "FCFS": FCFS()}, batch=100)
    adjusting, fair = EASY(adjust=walltime.Adjustment(scheme)), EASY(order=Multifactor())
    others = adjusting, fair, EASY(backfill="sjf"), EASY(backfill="best-fit"), EASY(reservations=2), EASY.plus_plus()
    for policy in (FCFS(), EASY(), Conservative(), SlurmBackfill(), *others):  # one for each way of compiling a kernel
        simulate(workload, policy).summary()
    with_gpus = Workload(workload.jobs.assign(gpus=1), workload.procs, gpus=workload.procs)
    for policy in (FCFS(), EASY(), Conservative()):
        simulate(with_gpus, policy)
    at_once = Workload(workload.jobs.assign(submit=0), workload.procs)  # a long queue
    for policy in (FCFS(order="sjf"), EASY(), EASY(order="sjf")):
        simulate(at_once, policy)
    if workload.log is not None:
        following = workload.log.assign(preceding=workload.log.job.shift(fill_value=-1), think=0)
        for policy in (FCFS(), EASY()):
            simulate(Workload(workload.jobs, workload.procs, log=following), policy, feedback=True)
    walltime.adjusted(workload.jobs, workload.jobs.submit + workload.jobs.run, scheme)
    workload.with_estimates(estimates.Historical())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status: 1 where it could not be done, 2 for wrong arguments."""
    try:
        return commands.main(arguments, standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        return 130  # as the shell says of what Ctrl+C ended
    except (archive.ArchiveError, swf.SWFError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def command() -> None:
    """Run the command of the process's arguments, and end it."""
    paths.end_tidily()
    sys.exit(main())


if __name__ == "__main__":
    import simlib_backfilling  # checks first that no other package has replaced ours

    simlib_backfilling.command()
