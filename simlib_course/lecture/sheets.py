"""Pencil sheets: exercises 2.1, 2.2, 3.1 and 3.3 on paper.

Each sheet has a page of solution. The charts are drawn by `simlib.plots` from the jobs of the lessons, and the
solutions are what the scheduler does.
"""

import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from matplotlib.transforms import Bbox

from simlib import plots
from simlib._util import paths
from simlib.core.schedule import Schedule, simulate
from simlib.core.workload import Workload
from simlib.explain import explain
from simlib.policies.conservative import Conservative
from simlib.policies.easy import EASY, FCFS

from ..answers import FIELDS
from ..lessons import lesson2, lesson3, use_seed

A4 = (8.27, 11.69)  # inches
LINE = 86  # letters
PRINTED = plots.STYLE | {"figure.constrained_layout.use": False, "font.size": 11, "pdf.fonttype": 42}


class Sheet(NamedTuple):
    """One exercise on paper."""

    number: str
    title: str
    jobs: Workload
    given: Schedule
    """The chart of the question shows what is known and planned in this schedule ..."""
    now: int
    """... at this second."""
    question: str
    blanks: tuple[str, ...]
    """What is to be filled in, in words."""
    answers: tuple[str, ...]
    """What is right, for each of the blanks."""
    solution: Schedule


def sheets() -> list[Sheet]:
    """Make the sheets, in the order of the lessons."""
    return [when_can_the_head_start(), who_may_pass(), reservations(), compress()]


def when_can_the_head_start() -> Sheet:
    """Make the sheet of exercise 2.1."""
    jobs = lesson2.queue()
    head: Any = jobs.jobs.loc["H"]
    seen = next(seen for seen in explain(jobs, EASY()) if seen.shadow is not None)
    question = f"""It is {head.submit} s. Jobs A and B run, and job H comes. It needs {head.procs} processors, so it
        waits at the head of the queue. At which second are enough processors free for H, if all jobs run for their
        estimates? This is the shadow time. How many processors does H leave free then? These are the extra
        processors. Draw H into the chart, and mark both."""
    return Sheet(
        "2.1",
        "When can the head start?",
        jobs,
        simulate(jobs.select(f"submit < {head.submit}"), FCFS()),
        int(head.submit),
        question,
        ("shadow time [s]", "extra processors"),
        (str(seen.shadow), str(seen.extra)),
        simulate(jobs.select(f"submit <= {head.submit}"), EASY()),
    )


def who_may_pass() -> Sheet:
    """Make the sheet of exercise 2.2."""
    before, jobs = when_can_the_head_start(), lesson2.queue()
    ways = lesson2.by_easy(explain(jobs, EASY()))
    waiting = list(ways)
    question = f"""Now {", ".join(waiting[:-1])} and {waiting[-1]} come, one after the other. A job starts at once if
        it fits the free processors and if one of these holds: (1) it will have ended by the shadow time; (2) it needs
        no more than the extra processors, and then it uses them up. Write "shadow" for (1), "extra" for (2), or "no".
        Keep count of the free and of the extra processors. Draw the jobs that start."""
    return before._replace(
        number="2.2",
        title="Who may pass?",
        question=question,
        blanks=tuple(f"{job} at {jobs.jobs.submit[job]} s" for job in waiting),
        answers=tuple(ways.values()),
        solution=simulate(jobs, EASY()),
    )


def reservations() -> Sheet:
    """Make the sheet of exercise 3.1."""
    jobs = lesson3.plan()
    submit, solution = jobs.jobs.submit, simulate(jobs, Conservative())
    question = f"""Job first has its reservation (dashed). At {submit["second"]} s comes job second, at
        {submit["third"]} s job third. Find for each the earliest second from which it fits until its expected end and
        takes no processor from a job that came before. Reserve for second before you look for third. Draw both
        reservations into the chart."""
    return Sheet(
        "3.1",
        "Reservations",
        jobs,
        simulate(jobs.select(f"submit <= {submit['first']}"), Conservative()),
        int(submit["first"]),
        question,
        ("second starts at [s]", "third starts at [s]"),
        (str(solution.jobs.start["second"]), str(solution.jobs.start["third"])),
        solution,
    )


def compress() -> Sheet:
    """Make the sheet of exercise 3.3."""
    jobs = lesson3.early()
    solution = simulate(jobs, Conservative())
    early = int(solution.jobs.end["bottom"])
    question = f"""At {early} s job bottom ends, long before it was expected to. Compress the plan: lift one job after
        the other, in order of arrival (first, then second), out of the plan, and put it back at the earliest second
        from which it fits while all others stay where they are. Draw the new plan into the empty chart."""
    return Sheet(
        "3.3",
        "Compress the plan",
        jobs,
        solution,
        early - 1,
        question,
        ("first starts at [s]", "second starts at [s]"),
        (str(solution.jobs.start["first"]), str(solution.jobs.start["second"])),
        solution,
    )


def write(folder: Path, seed: str = "") -> list[Path]:
    """Write the sheets of a seed and their solutions, a PDF each; the same bytes each time."""
    folder.mkdir(parents=True, exist_ok=True)
    use_seed(seed)
    made = sheets()
    return [
        _pdf(folder / "sheets.pdf", (page(sheet) for sheet in made)),
        _pdf(folder / "sheets-solutions.pdf", (page(sheet, solved=True) for sheet in made)),
    ]


def _pdf(path: Path, pages: Iterable[Figure]) -> Path:
    undated = {"CreationDate": None, "Title": path.stem, "Creator": "simlib", "Producer": None}
    with paths.replacing(path) as new, plt.rc_context(PRINTED), PdfPages(new, metadata=undated) as pdf:
        for figure in pages:
            pdf.savefig(figure)
    return path


def page(sheet: Sheet, solved: bool = False) -> Figure:
    """Draw a sheet, or its solution: the question, the jobs, the chart and room to draw, the blanks."""
    with plt.rc_context(PRINTED):
        figure = Figure(figsize=A4)
        figure.text(0.08, 0.955, f"{sheet.number}  {sheet.title}", size=17, weight="bold", va="top")
        corner = "Solution" if solved else "Name: ____________________"
        figure.text(0.92, 0.95, corner, size=12, ha="right", va="top")
        figure.text(
            0.08, 0.91, textwrap.fill(" ".join(sheet.question.split()), LINE), size=11, va="top", linespacing=1.5
        )
        _table(figure.add_axes((0.08, 0.62, 0.84, 0.165)), sheet.jobs)
        chart = figure.add_axes((0.13, 0.4, 0.79, 0.19))
        _draw(chart, sheet.given, sheet, sheet.now)
        chart.set_title(f"What is known at {sheet.now} s")
        room = figure.add_axes((0.13, 0.145, 0.79, 0.19))
        if solved:
            _draw(room, sheet.solution, sheet)
            room.set_title("What the scheduler does; hatched: backfilled")
        else:
            _grid(room, sheet)
            room.set_title("Room to draw")
        answers = sheet.answers if solved else ("________",) * len(sheet.blanks)
        for place, (blank, answer) in enumerate(zip(sheet.blanks, answers, strict=True)):
            left = 0.08 + 0.84 * place / len(sheet.blanks)
            figure.text(left, 0.09, blank, size=12, va="top")
            figure.text(left, 0.062, answer, size=14, va="top", weight="bold" if solved else "normal")
        return figure


def _table(ax: Axes, jobs: Workload) -> None:
    """Write the table of the jobs, as the lesson shows it."""
    ax.set_axis_off()
    rows = jobs.jobs[["submit", "run", "procs", "estimate"]]
    if (rows.run == rows.estimate).all():
        rows = rows.drop(columns="run")
    cells = [[str(job), *map(str, row)] for job, *row in rows.itertuples()]
    heads = ["job", *(FIELDS[str(name)] for name in rows)]
    height = (len(cells) + 1) / 8.5
    table = ax.table(cells, colLabels=heads, bbox=Bbox.from_bounds(0, 1 - height, 1, height), cellLoc="center")
    table.auto_set_font_size(False)
    table.set_fontsize(10.5)
    for cell in table.get_celld().values():
        cell.set(linewidth=0.6)


def _until(sheet: Sheet) -> int:
    """Find where the charts end: after all that is planned or done, at a multiple of 20 s."""
    ends = [schedule.plan(sheet.now).jobs.end.max() for schedule in (sheet.given, sheet.solution)]
    return -int(-max(*ends, sheet.solution.jobs.end.max()) // 20) * 20


def _grid(ax: Axes, sheet: Sheet) -> None:
    """Lines to draw along: each processor, every ten seconds."""
    ax.xaxis.set_major_locator(MultipleLocator(20))
    ax.xaxis.set_minor_locator(MultipleLocator(10))
    ax.yaxis.set_major_locator(MultipleLocator(1))
    ax.grid(True, which="both", color="#BBBBBB", linewidth=0.6)
    ax.set(xlim=(0, _until(sheet)), ylim=(0, sheet.jobs.procs), xlabel="time [s]", ylabel="processors")
    for side in ("top", "right"):
        ax.spines[side].set_visible(True)


def _draw(ax: Axes, schedule: Schedule, sheet: Sheet, now: int | None = None) -> None:
    ax.set_xlim(0, _until(sheet))
    plots.gantt(schedule, ax, now=now)
    _grid(ax, sheet)
