"""Pencil sheets: exercises 2.1, 2.2, 3.1 and 3.3 on paper, as pages that a browser prints.

Each sheet has a page of solution. The charts are drawn by `simlib.plots` from the jobs of the lessons, and the
solutions are what the scheduler does.
"""

import io
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from simlib import plots
from simlib._util import paths
from simlib.core.schedule import Schedule, simulate
from simlib.core.workload import Workload
from simlib.explain import explain
from simlib.policies.conservative import Conservative
from simlib.policies.easy import EASY, FCFS

from ..answers import FIELDS
from ..lessons import lesson2, lesson3, use_seed

PRINTED = plots.STYLE | {"font.size": 11, "svg.hashsalt": "sheets"}

PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>Pencil sheets</title>
<style>
  @page { size: A4; margin: 1.5cm; }
  body { max-width: 18cm; margin: auto; font: 11pt/1.5 "DejaVu Sans", Verdana, Arial, sans-serif; }
  section { break-after: page; break-inside: avoid; }
  h1 { font-size: 17pt; margin: 0; }
  .corner { float: right; margin: 0; }
  table { width: 100%; border-collapse: collapse; }
  .dataframe th, .dataframe td { border: 0.5pt solid; text-align: center; font-size: 10.5pt; line-height: 1.3; }
  .blanks b { font-size: 14pt; }
  svg { display: block; width: 100%; height: auto; margin-top: 0.3cm; }
</style>
"""


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
        Keep count of the free and of the extra processors. Draw the jobs that start. When does
        H start?"""
    solution = simulate(jobs, EASY())
    return before._replace(
        number="2.2",
        title="Who may pass?",
        question=question,
        blanks=(*(f"{job} at {jobs.jobs.submit[job]} s" for job in waiting), "H starts at [s]"),
        answers=(*ways.values(), str(solution.jobs.start["H"])),
        solution=solution,
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
    """Write the sheets of a seed and their solutions as pages to print, an exercise on each sheet of paper."""
    folder.mkdir(parents=True, exist_ok=True)
    use_seed(seed)
    made, written = sheets(), []
    for name, solved in (("sheets", False), ("sheets-solutions", True)):
        written.append(folder / f"{name}.html")
        with paths.replacing(written[-1]) as new, plt.rc_context(PRINTED):
            new.write_text(PAGE + "\n".join(html(sheet, solved) for sheet in made), encoding="utf-8")
    return written


def html(sheet: Sheet, solved: bool = False) -> str:
    """Write a sheet, or its solution: the question, the jobs, the chart and room to draw, the blanks."""
    answers = sheet.answers if solved else ("________",) * len(sheet.blanks)
    blanks = "".join(
        f"<td>{blank}<br><b>{answer}</b></td>" for blank, answer in zip(sheet.blanks, answers, strict=True)
    )
    drawn = ("What the scheduler does; hatched: backfilled", sheet.solution) if solved else ("Room to draw", None)
    return f"""<section>
<p class="corner">{"Solution" if solved else "Name: ____________________"}</p>
<h1>{sheet.number}&ensp;{sheet.title}</h1>
<p>{sheet.question}</p>
{_table(sheet.jobs)}
{_chart(sheet, f"What is known at {sheet.now} s", sheet.given, sheet.now)}
{_chart(sheet, *drawn)}
<table class="blanks"><tr>{blanks}</tr></table>
</section>"""


def _table(jobs: Workload) -> str:
    """Write the table of the jobs, as the lesson shows it."""
    rows = jobs.jobs[["submit", "run", "procs", "estimate"]]
    if (rows.run == rows.estimate).all():
        rows = rows.drop(columns="run")
    return rows.rename(columns=FIELDS).rename_axis("job").reset_index().to_html(index=False, border=0)


def _chart(sheet: Sheet, title: str, schedule: Schedule | None, now: int | None = None) -> str:
    """Draw a schedule of a sheet as SVG, or only the lines to draw along: each processor, every ten seconds."""
    figure = Figure(figsize=(7, 2.3))
    ax = figure.add_subplot()
    ends = [one.plan(sheet.now).jobs.end.max() for one in (sheet.given, sheet.solution)]
    last = -int(-max(*ends, sheet.solution.jobs.end.max()) // 20) * 20  # after all that is planned or done
    ax.set_xlim(0, last)
    if schedule is not None:
        plots.gantt(schedule, ax, now=now)
    ax.xaxis.set_major_locator(MultipleLocator(20))
    ax.xaxis.set_minor_locator(MultipleLocator(10))
    ax.yaxis.set_major_locator(MultipleLocator(1))
    ax.grid(True, which="both", color="#BBBBBB", linewidth=0.6)
    ax.set(xlim=(0, last), ylim=(0, sheet.jobs.procs), xlabel="time [s]", ylabel="processors", title=title)
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue().partition("?>")[2]
