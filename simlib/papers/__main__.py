"""`python -m simlib.papers` prints what the exhibits in figures/ and build/synthetic/ say, from their records;
`python -m simlib.papers report` writes figures/README.md and build/site/;
`python -m simlib.papers compile` compiles the kernels that only the study has.
"""

import argparse

from .. import paths


def main(arguments=None):
    """Print each exhibit's logs and the verdicts on its claims, and the total; or write the report, or compile."""
    parser = argparse.ArgumentParser(prog="python -m simlib.papers", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["verdicts", "report", "compile"], default="verdicts")
    what = parser.parse_args(arguments).what
    {"verdicts": show, "report": write, "compile": compile_kernels}[what]()


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
    from . import explained, report, scoreboard, site

    if found := report.outcomes(paths.ROOT / "figures"):
        explained.save(found, paths.ROOT / "figures")
        with paths.replacing(paths.ROOT / "figures" / "README.md") as path:
            path.write_text(scoreboard.text(paths.ROOT / "figures"), encoding="utf-8")
        if (readme := paths.ROOT / "README.md").exists():
            text = report.with_findings(readme.read_text(encoding="utf-8"), found)
            with paths.replacing(readme) as path:
                path.write_text(text, encoding="utf-8")
    print(f"The report: {site.build()}")


def compile_kernels():
    """Use every kernel of the study that Python calls once; otherwise one waits when it is first used."""
    from .. import loading, simulate
    from .mualem2001.programs import ConservativeProgram, EasyProgram

    for program in (EasyProgram(), ConservativeProgram()):
        simulate(loading.load("sample"), program)


if __name__ == "__main__":
    paths.end_tidily()
    main()
