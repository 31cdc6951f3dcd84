"""`python -m simlib.papers` prints what the exhibits in figures/ and build/synthetic/ say, from their records;
`python -m simlib.papers report` writes figures/README.md and build/site/.
"""

import argparse

from .. import paths


def main(arguments=None):
    """Print each exhibit's logs and the verdicts on its claims, and the total; or write the report."""
    parser = argparse.ArgumentParser(prog="python -m simlib.papers", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["verdicts", "report"], default="verdicts")
    what = parser.parse_args(arguments).what
    (write if what == "report" else show)()


def show():
    """Print the verdicts."""
    from .report import outcomes, total

    figures = outcomes(paths.ROOT / "figures")
    for one in figures + outcomes(paths.ROOT / "build" / "synthetic"):
        mark = "  *** SYNTHETIC DATA: says nothing about the paper ***" if one.synthetic else ""
        print(f"\n{(one.folder / one.name).relative_to(paths.ROOT)}: {one.title}{mark}")
        print(f"  from {', '.join(one.sources) or 'no log'}")
        for claim in one.claims:
            print(f"  {claim['id']} {claim['verdict']}: {claim['claim']}")
    print("", *total(figures), sep="\n")


def write():
    """Write the scoreboard, where there are figures, and the site."""
    from . import report, scoreboard, site

    if report.outcomes(paths.ROOT / "figures"):
        with paths.replacing(paths.ROOT / "figures" / "README.md") as path:
            path.write_text(scoreboard.text(paths.ROOT / "figures"), encoding="utf-8")
    print(f"The report: {site.build()}")


if __name__ == "__main__":
    paths.end_tidily()
    main()
