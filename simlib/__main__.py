"""Simulate parallel job scheduling, and ask what other policies would make of a log."""

import sys
import warnings
from collections.abc import Sequence
from importlib import metadata
from typing import Any

import click
import numpy as np

from ._util import paths
from .analysis.comparison import compare
from .core import estimates
from .core.metrics import pieces
from .core.schedule import simulate
from .core.workload import Workload
from .logs import archive, sacct, swf, tables
from .logs.files import SWFError
from .policies import adjusting
from .policies.conservative import Conservative, SlurmBackfill
from .policies.easy import EASY, FCFS
from .policies.orders import Multifactor


class _Commands(click.Group):
    """The commands below, and those of the packages beside this one, which are imported when they are called."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted({*super().list_commands(context), *_BESIDE.names})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        return _BESIDE[name].load() if name in _BESIDE.names else super().get_command(context, name)


_BESIDE = metadata.entry_points(group="simlib.commands")


@click.group(
    cls=_Commands, help=__doc__, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
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
            raise click.ClickException(f"{error}; not trying the others") from None
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


@commands.command("compile")
def compile_kernels() -> None:
    """Compile the kernels: nobody waits for it later."""
    # Use every kernel of the library that Python calls once.
    workload, scheme = archive.load("sample"), adjusting.Scheme()
    compare(workload, {"EASY": EASY(), "FCFS": FCFS()}, shakes=4)
    start, end, procs, machine = (np.array([0]), np.array([1]), np.array([1]), 1)
    pieces(start, end, procs, machine)
    adjusted, fair = EASY(adjust=adjusting.Adjustment(scheme)), EASY(order=Multifactor())
    others = adjusted, fair, EASY(backfill="sjf"), EASY(backfill="best-fit"), EASY(reservations=2), EASY.plus_plus()
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
    adjusting.adjusted(workload.jobs, workload.jobs.submit + workload.jobs.run, scheme)
    workload.with_estimates(estimates.Historical())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status: 1 where it could not be done, 2 for wrong arguments."""
    try:
        return commands.main(arguments, standalone_mode=False) or 0
    except click.UsageError as error:
        error.show()
        return error.exit_code
    except click.Abort:
        return 130  # as the shell says of what Ctrl+C ended
    except (click.ClickException, archive.ArchiveError, SWFError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def command() -> None:
    """Run the command of the process's arguments, and end it."""
    paths.end_tidily()
    sys.exit(main())


if __name__ == "__main__":
    import simlib_backfilling  # checks first that no other package has replaced ours

    simlib_backfilling.command()
