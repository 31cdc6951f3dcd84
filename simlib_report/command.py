"""The command `simlib report`."""

from typing import Any

import click


@click.command(
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
@click.option("--slurm-conf", metavar="FILE", help="slurm.conf, or what scontrol show config prints: sets the base.")
@click.option("--outages", metavar="FILE", help="When processors were away: CSV, or what sacctmgr or scontrol prints.")
@click.option("--allow", "allowed", type=float, metavar="PERCENT", help="By how much waits may get worse; default: 10.")
@click.option("--title", metavar="TEXT", help="The title of the page.")
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

    from . import page  # slow to import

    matplotlib.use("Agg")  # no window anywhere
    options = {name: value for name, value in given.items() if value is not None}
    try:
        print(page.report(log, unit="nodes" if nodes else None, **options))
    except ValueError as error:
        raise click.ClickException(str(error)) from None
