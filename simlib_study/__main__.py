"""How the study stands, from the records in figures/ and build/synthetic/."""

import sys
from collections.abc import Sequence

import click

from simlib._util import paths


@click.group(help=__doc__, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.pass_context
def commands(context: click.Context) -> None:
    """Hold the commands below; without one, print the verdicts."""
    if context.invoked_subcommand is None:
        context.invoke(verdicts)


@commands.command()
def verdicts() -> None:
    """Print each exhibit's logs, the verdicts on its claims, and the total."""
    from .pages import total
    from .records import outcomes

    figures = outcomes(paths.ROOT / "figures")
    for one in figures + outcomes(paths.ROOT / "build" / "synthetic"):
        mark = "  *** SYNTHETIC DATA: says nothing about the paper ***" if one.synthetic else ""
        print(f"\n{one.folder.relative_to(paths.ROOT)}: {one.title}{mark}")
        print(f"  from {', '.join(one.sources) or 'no log'}")
        for claim in one.claims:
            print(f"  {claim['id']} {claim['verdict']}: {claim['claim']}")
    print("", *total(figures), sep="\n")


@commands.command()
@click.pass_context
def report(context: click.Context) -> None:
    """Print the verdicts; write the pages in figures/, and the findings: README.md and docs/background/findings.md."""
    from . import pages, records
    from .mualem2001 import printed_means

    context.invoke(verdicts)
    if exhibits := records.outcomes(paths.ROOT / "figures"):
        printed_means.save(exhibits, paths.ROOT / "figures")
        pages.write(exhibits, paths.ROOT / "figures")
        records.note_what_is_made_of_what()
        pages.write_executed()
        for name, template in pages.FINDINGS.items():
            if (file := paths.ROOT / name).exists():
                text = pages.with_findings(file.read_text(encoding="utf-8"), exhibits, template, name)
                with paths.replacing(file) as path:
                    path.write_text(text, encoding="utf-8")
        print(f"The report: {paths.ROOT / 'figures' / 'README.md'}")


@commands.command()
def preview() -> None:
    """Write a page with all pictures of build/preview/, which `make preview` made with few runs."""
    from . import pages, records
    from .notebooks import PREVIEW

    folder = paths.ROOT / "build" / PREVIEW
    page = folder / "index.html"
    with paths.replacing(page) as path:
        path.write_text(pages.first_look(records.outcomes(folder)), encoding="utf-8")
    print(f"A first look: {page}")


@commands.command()
@click.argument("revision", default="HEAD")
@click.option("--exact", is_flag=True, help="Also the last digit, which on another processor may differ.")
def check(revision: str, exact: bool) -> int:
    """Compare figures/ with what is committed, at REVISION; ends with 1 where numbers differ."""
    from . import checking

    lines, good = checking.check(revision, exact)
    print(*lines, sep="\n")
    return 0 if good else 1


@commands.command("compile")
def compile_kernels() -> None:
    """Compile what only notebooks need, and `simlib compile` leaves out: nobody waits for it later."""
    import simlib
    from simlib import EASY, Multifactor, Selective, SlurmBackfill
    from simlib.core.schedule import Policy
    from simlib.policies.adjusting import Adjustment

    ordered = EASY(order="wfp"), EASY(order="wfp", adjust=Adjustment()), SlurmBackfill(order=Multifactor())
    backfilling = (EASY(backfill=how) for how in ("largest", "smallest area", "lookahead"))
    policies: list[Policy] = [Selective(2), Selective("adaptive"), *ordered, *backfilling]
    for policy in policies:
        simlib.simulate(simlib.load("sample"), policy)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status: 2 for wrong arguments."""
    try:
        return commands.main(arguments, standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        return 130  # as the shell says of what Ctrl+C ended


if __name__ == "__main__":
    paths.end_tidily()
    sys.exit(main())
