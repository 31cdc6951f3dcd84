"""`python -m simlib.study` prints what the exhibits in figures/ and build/synthetic/ say, from their records;
`python -m simlib.study report` prints it, too, and writes figures/README.md, and the findings into README.md and
docs/findings.md;
`python -m simlib.study site` makes build/site/;
`python -m simlib.study compile` compiles the kernels that only the study has.
"""

import argparse

from .._util import paths


def main(arguments=None):
    """Print each exhibit's logs, the verdicts on its claims, the total; or write the report, the site, or compile."""
    parser = argparse.ArgumentParser(prog="python -m simlib.study", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["verdicts", "report", "site", "compile"], default="verdicts")
    what = parser.parse_args(arguments).what
    {"verdicts": show, "report": write, "site": make_site, "compile": compile_kernels}[what]()


def show():
    """Print the verdicts."""
    from .outcomes import outcomes, total

    figures = outcomes(paths.ROOT / "figures")
    for one in figures + outcomes(paths.ROOT / "build" / "synthetic"):
        mark = "  *** SYNTHETIC DATA: says nothing about the paper ***" if one.synthetic else ""
        print(f"\n{(one.folder / one.name).relative_to(paths.ROOT)}: {one.title}{mark}")
        print(f"  from {', '.join(one.sources) or 'no log'}")
        for claim in one.claims:
            print(f"  {claim['id']} {claim['verdict']}: {claim['claim']}")
    print("", *total(figures), sep="\n")


def write():
    """Print the verdicts, and write the scoreboard, where there are figures."""
    from . import outcomes, scoreboard

    show()
    if found := outcomes.outcomes(paths.ROOT / "figures"):
        outcomes.save_steps(found, paths.ROOT / "figures")
        with paths.replacing(paths.ROOT / "figures" / "README.md") as path:
            path.write_text(scoreboard.text(paths.ROOT / "figures"), encoding="utf-8")
        for name, template in outcomes.FINDINGS.items():
            if (file := paths.ROOT / name).exists():
                text = outcomes.with_findings(file.read_text(encoding="utf-8"), found, template)
                with paths.replacing(file) as path:
                    path.write_text(text, encoding="utf-8")
        print(f"The report: {paths.ROOT / 'figures' / 'README.md'}")


def make_site():
    """Make the site."""
    from . import site

    print(f"The site: {site.build()}")


def compile_kernels():
    """Use every kernel of the study that Python calls once; otherwise one waits when it is first used."""
    from ..core.schedule import simulate
    from ..logs import loading
    from ..report.policies import POLICIES
    from .investigations import tang_months
    from .investigations.programs import ConservativeProgram, EasyProgram

    tang_months.compile_kernel()
    for case in (EasyProgram(), ConservativeProgram(), *POLICIES.values()):
        simulate(loading.load("sample"), case[0] if isinstance(case, tuple) else case)


if __name__ == "__main__":
    paths.end_tidily()
    main()
