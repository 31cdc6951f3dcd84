"""Ask all questions of a log: a section each, and a page of them all, one file of HTML that needs no other."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from tqdm.auto import tqdm

from .. import plots
from .._util import paths
from ..analysis.comparison import Comparison
from ..core.calendar import Moment
from ..core.workload import Workload
from ..logs import archive
from ..plots.style import shown
from . import policies, requests, sentences, taking, wait_times

ASKED = ("EASY", "conservative", "FCFS", "EASY, shortest first")
"""The policies that a page compares unless others are asked for."""

_MOST = 8
"""So many users are listed at either end of a comparison."""

_LOOK = """body { font: 16px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; max-width: 1080px;
  margin: 2em auto; padding: 0 1.25em; color: #1b1b1b }
h1 { font-size: 1.9em; line-height: 1.2 } h2 { margin: 2em 0 .5em; border-bottom: 2px solid #e2e2e2 }
img { max-width: 100%; height: auto }
.finding { border-left: 4px solid #0072B2; padding-left: .8em; margin: .5em 0 }
.table { overflow-x: auto } table { border-collapse: collapse; border: 0; font-size: .8em; margin: .8em 0 }
th, td { padding: .2em .5em; text-align: right; border: 0; vertical-align: top;
  border-bottom: 1px solid #e2e2e2 }
tbody th, td { white-space: nowrap } th { text-align: left }"""


@dataclass(frozen=True)
class _Said:
    """What the numbers say: paragraphs."""

    paragraphs: tuple[str, ...]

    def _repr_html_(self) -> str:
        return "\n".join(f'<p class="finding">{escape(each)}</p>' for each in self.paragraphs)


def _said(*sentences: str | Iterable[str]) -> _Said | None:
    """Put sentences into paragraphs: one for each argument, of one sentence or several."""
    joined = (each if isinstance(each, str) else " ".join(each) for each in sentences)
    paragraphs = tuple(each for each in joined if each)
    return _Said(paragraphs) if paragraphs else None


@dataclass(frozen=True)
class Section:
    """Answer a question: its heading, and what stands under it.

    Attributes
    ----------
    title : str
    parts : list
        In order: prose (str, *so* for emphasis), what the numbers say, tables (DataFrame), pictures (Figure); None in
        the place of what the log does not tell.

    Examples
    --------
    >>> print(Section("Waits", ["They are *long*.", None]).html())
    <h2>Waits</h2>
    <p>They are <em>long</em>.</p>
    """

    title: str
    parts: list[Any]

    def html(self, level: int = 2) -> str:
        """Write it as a part of a page, under a heading of a level.

        Examples
        --------
        >>> Section("Waits & more", []).html(1)
        '<h1>Waits &amp; more</h1>'
        """
        heading = f"<h{level}>{escape(self.title)}</h{level}>"
        return "\n".join([heading, *(_html(part, self.title) for part in self.parts if part is not None)])

    def _ipython_display_(self) -> None:
        """Show each part in a notebook as an output of its own."""
        from IPython.display import Markdown, display  # they come with notebooks, and are not needed without

        for part in [f"## {self.title}", *self.parts]:
            if part is not None:
                display(Markdown(part) if isinstance(part, str) else part)


def _html(part: Any, title: str) -> str:
    """Write a part of a section; a picture without a label of its own is described by the title."""
    if isinstance(part, str):
        prose = re.sub(r"[*](.+?)[*]", r"<em>\1</em>", escape(part, quote=False))
        return f"<p>{prose}</p>"
    if isinstance(part, Figure):
        content, size = shown(part) or ("", {"width": 0})
        alt = escape(str(part.get_label() or title))
        return f'<p><img src="data:image/png;base64,{content}" width="{size["width"]}" alt="{alt}"></p>'
    if isinstance(part, pd.DataFrame):
        with pd.option_context("display.max_colwidth", None):
            return f'<div class="table">{part.to_html(border=0)}</div>'
    return part._repr_html_()


class Page:
    """Ask all questions of a log, a method each, which gives a section; what several need is worked out once.

    Parameters
    ----------
    workload : Workload
    names : sequence of str
        Policies out of `simlib.report.POLICIES`; the first is what the others are held against.
    shakes : int, optional
        Shaken runs a comparison; by default see `simlib.report.enough_shakes`.
    seed : int

    Attributes
    ----------
    workload : Workload
    cases : dict
        The policies that suit the log, by name.
    found, other : Comparison or None
        Of these policies; of EASY with itself under other estimates.
    adjusted : dict of str to Comparison
        Of adjusted estimates, by the order of the queue.

    Raises
    ------
    ValueError
        For no policy, and an unknown one.

    Examples
    --------
    >>> w = Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 8, 2))
    >>> page = Page(w, ["EASY", "FCFS"], shakes=4)
    >>> for section in page.sections():
    ...     print(section().title)
    My cluster: what would another scheduling policy do?
    What was recorded, and what would each policy do?
    Which policy, and for whom?
    How good are the estimates, and would better ones help?
    Would estimates help that the system adjusts?
    What is coincidence, and what would another year change?
    What this page cannot tell
    """

    def __init__(
        self, workload: Workload, names: Iterable[str] = ASKED, shakes: int | None = None, seed: int = 0
    ) -> None:
        self.workload, self.shakes, self.seed = workload, shakes, seed
        self.cases, self._left_out = policies.usable(workload, policies.chosen(names))

    @cached_property
    def found(self) -> Comparison | None:
        """The comparison of the policies."""
        return policies.compared(self.workload, self.cases, self.shakes, self.seed)

    @cached_property
    def other(self) -> Comparison | None:
        """The comparison of EASY with itself under other estimates."""
        return requests.other_estimates(self.workload, self.shakes, self.seed)

    @cached_property
    def adjusted(self) -> dict[str, Comparison]:
        """The comparisons of adjusted estimates, by the order of the queue."""
        return requests.adjusted(self.workload, self.shakes, self.seed)

    def sections(self) -> list[Callable[[], Section]]:
        """List the methods below, in the order of a page; where no job waits, those that still say something.

        Examples
        --------
        >>> page = Page(Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 8, 2)))
        >>> page.sections()[0] == page.about, len(page.sections())
        (True, 7)
        >>> len(Page(Workload.of("one job", 4, A=(0, 10, 20, 3))).sections())
        3
        """
        first = next(iter(self.cases.values()), None)
        if first is not None and len(self.workload):
            if not wait_times.has_queue(wait_times.simulated(self.workload, first)):
                return [self.about, self.waits, self.limits]
        return [self.about, self.waits, self.policies, self.estimates, self.adjusting, self.certainty, self.limits]

    def about(self) -> Section:
        """Say what is asked, and of which log.

        Examples
        --------
        >>> page = Page(Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 8, 2)))
        >>> page.about().parts[-1].loc["machine", ""]
        '4 processors'
        """
        return Section(
            "My cluster: what would another scheduling policy do?",
            [
                "A log says what happened; a simulation of the same jobs on the same machine says what other rules of "
                "scheduling would have made of them. Look at which policy makes jobs wait less, for whom, and whether "
                "the difference is more than coincidence, and more than this one year.",
                _said(*taking.doubtful(self.workload), *self._left_out),
                taking.about(self.workload),
            ],
        )

    def waits(self) -> Section:
        """Answer what was recorded, and what each policy would do.

        Examples
        --------
        >>> page = Page(Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 8, 2)), ["EASY"])
        >>> page.waits().parts[2].loc["EASY", "mean wait"]
        '4 s'
        """
        made = wait_times.schedules(self.workload, self.cases)
        lines = "Each line is what a simulation of the jobs gives"
        if wait_times.RECORDED in made:
            lines = "The dashed line is what happened by the log's own times, the others what simulations of the same "
            lines += "jobs give"
        return Section(
            "What was recorded, and what would each policy do?",
            [
                f"{lines}. At each time on the axis, the higher a line the better: more jobs have started by then.",
                wait_times.waits_picture(made),
                wait_times.waits(made),
                _said(wait_times.waits_said(made), wait_times.why_recorded_differ(self.workload)),
            ],
        )

    def policies(self) -> Section:
        """Answer which policy is better, and for whom.

        Examples
        --------
        >>> page = Page(Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 8, 2)), ["EASY"])
        >>> print(page.policies().html().splitlines()[2])
        <p class="finding">Nothing can be compared: it takes a queue, and two policies that suit the log.</p>
        """
        return Section(
            "Which policy, and for whom?",
            [
                "EASY lets a job pass others if it does not delay the first of the queue; conservative backfilling, if "
                "it delays nobody who is ahead of it; FCFS never. Shortest first sorts the queue by the users' "
                "estimates. Points are the changes against the first policy. Thick bars are coincidence: the same "
                "jobs, submitted up to a minute earlier or later. Thin bars are another year: another time as "
                "long as the log. A bar that crosses zero says that the difference can go either way.",
                _said(sentences.intervals_said(self.found)),
                policies.forest(self.found),
                _said(*policies.differences_said(self.found)),
                policies.overview(self.found),
                "Below, who waits longer and who waits less: users first, then jobs by the number of their processors. "
                "In brackets is how many jobs they are. A policy whose panel is empty makes no difference beyond "
                "coincidence. Where there are many users, some stand here by luck.",
                policies.winners(self.found, "user"),
                policies.winners(self.found, "size"),
                _said(*policies.gains_said(self.found)),
            ],
        )

    def estimates(self) -> Section:
        """Answer how good the estimates are, and whether better ones would help.

        Examples
        --------
        >>> page = Page(Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 8, 2)), shakes=4)
        >>> page.estimates().parts[2].loc["all", "median share used"]
        '56 %'
        """
        return Section(
            "How good are the estimates, and would better ones help?",
            [
                "Backfilling plans with the run time that users ask for. The picture shows which share of it their "
                "jobs used.",
                requests.use_picture(self.workload),
                requests.use(self.workload),
                _said(requests.use_said(self.workload)),
                "And what EASY would do if every estimate were exact, or twice as long as it is:",
                policies.forest(self.other),
                _said(*requests.other_estimates_said(self.other)),
            ],
        )

    def adjusting(self) -> Section:
        """Answer whether estimates would help that the system adjusts.

        Examples
        --------
        >>> page = Page(Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 8, 2)))
        >>> print(page.adjusting().html().splitlines()[-1])
        <p class="finding">Whether adjusted estimates would help cannot be told: the log does not say whose the ...
        """
        first, second = requests.BASES
        return Section(
            "Would estimates help that the system adjusts?",
            [
                "The scheduler can learn from the past: it looks at the jobs of the same user with the same request "
                "that ended within a month, ten at least, and plans with the share of the request that 85 % of them "
                "did not exceed, but never with less than a half. No job is killed for it. *Adjusted estimates* are "
                "used for the order of the queue and for backfilling; *all adjusted* ones for running jobs, too. The "
                "queue is in order of arrival (EASY), or by WFP, (wait / estimate)³ × size, which many large machines "
                "use.",
                requests.adjusted_picture(self.adjusted, first),
                requests.adjusted_picture(self.adjusted, second),
                requests.adjusted_table(self.adjusted),
                requests.adjusted_winners(self.adjusted, second),
                _said(*requests.adjusted_said(self.workload, self.adjusted)),
            ],
        )

    def certainty(self) -> Section:
        """Answer what is coincidence, and what another year would change.

        Examples
        --------
        >>> page = Page(Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 8, 2)), shakes=4)
        >>> page.certainty().parts[1]["against"].to_list()
        ['EASY', 'EASY', 'EASY', 'EASY', 'EASY']
        """
        comparisons = [self.found, self.other, *self.adjusted.values()]
        said = policies.certainty_said(self.workload, comparisons, self.shakes, self.seed)
        return Section(
            "What is coincidence, and what would another year change?",
            [
                "Backfilling is chaotic: one job that comes a second later can change who fits into which gap from "
                "there on. So no difference is worth more than what such luck makes. And a log is one time of a "
                "machine: another one has other weeks.",
                policies.certainty_table(comparisons),
                _said(said),
            ],
        )

    def limits(self) -> Section:
        """Say what no simulation of a log can tell.

        Examples
        --------
        >>> Page(Workload.of("one job", 4, A=(0, 10, 20, 3))).limits().title
        'What this page cannot tell'
        """
        return Section(
            "What this page cannot tell",
            [
                "Users react: where jobs wait less, more are submitted, and other estimates are asked for under other "
                "rules. Simulations know nothing of limits, priorities, reservations and outages, and take each job "
                "as it was: the same size, the same run time. So differences between policies can be believed sooner "
                "than the waits themselves."
            ],
        )


def report(
    log: str | Path,
    out: str | Path | None = None,
    procs: int | None = None,
    partition: int | str | None = None,
    first: Moment | None = None,
    last: Moment | None = None,
    progress: bool = False,
    **others: Any,
) -> Path:
    """Ask all questions of a log, and write the answers as one page that needs no other file.

    Parameters
    ----------
    log, procs, partition, first, last
        As for `simlib.report.taken`.
    out : str or Path, optional
        Where to write the page; by default into the current folder, under the log's name.
    progress : bool
        Whether to show a bar.
    **others
        As for `Page`: `names`, `shakes`, `seed`.

    Returns
    -------
    Path
        The page. It appears at once and whole, and is the same, byte by byte, for the same log.

    Raises
    ------
    ArchiveError, SWFError, ValueError
        As from `simlib.report.taken` and `Page`; where the page would overwrite the log.
    OSError
        Where it cannot be written.

    Examples
    --------
    >>> report("nowhere.swf")
    Traceback (most recent call last):
        ...
    simlib.logs.archive.ArchiveError: nowhere.swf: found no such file, and no such name in the catalogue; expected ...
    """
    target = Path(out) if out else Path(f"{Path(log).name.removesuffix('.gz').removesuffix('.swf')}.html")
    file = archive.path_or_name(log)
    here = archive.find(file) if isinstance(file, str) else (file,)
    paths.refuse_unwritable(target, *(here or ())[:1])  # before anybody waits for the page
    title = escape(f"My cluster: {Path(log).name}")
    with plt.rc_context():
        plots.use_style()
        sections = Page(taking.taken(log, procs, partition, first, last), **others).sections()
        content = [
            section().html(level=1 if section is sections[0] else 2)
            for section in tqdm(sections, "report", unit="section", disable=not progress)
        ]
    with paths.replacing(target) as new:
        new.write_text(_whole(title, content), encoding="utf-8")
    return target


def comparison_page(comparison: Comparison, path: str | Path | None = None) -> str:
    """Write a comparison of policies as a page with its pictures in it, which needs no other file.

    Parameters
    ----------
    comparison : Comparison
    path : str or Path, optional
        Where to write it; the file appears at once and whole.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> import simlib
    >>> policies = {"EASY": simlib.EASY(), "FCFS": simlib.FCFS()}
    >>> found = simlib.compare(simlib.load("sample"), policies, shakes=4, by=["all"])
    >>> "<h1>sample: FCFS with EASY</h1>" in comparison_page(found)
    True
    """
    title = escape(f"{comparison.workload.name}: {', '.join(comparison.others)} with {comparison.base}")
    said = "".join(f"<li>{escape(f'{name}: {policy}')}</li>" for name, policy in comparison.policies.items())
    content = [
        f"<h1>{title}</h1><p>{escape(repr(comparison.workload).strip('<>'))}</p><ul>{said}</ul>",
        f"<p>{escape(comparison.meaning)}</p>",
        _html(comparison.overview(), title),
    ]
    with plt.rc_context():
        plots.use_style()
        content.append(_html(policies.closed(plots.forest(comparison)), title))
        for by in [by for by in comparison.by if by != "all"]:
            content += [f"<h2>By {by}</h2>", _html(policies.closed(plots.winners(comparison, by=by)), title)]
            content += [_groups(comparison, by, policy) for policy in comparison.others]
    page = _whole(title, content)
    if path is not None:
        with paths.replacing(path) as new:
            new.write_text(page, encoding="utf-8")
    return page


def _groups(comparison: Comparison, by: str, policy: str) -> str:
    """A table of the mean waits of groups; of many users, those who lose most and those who gain most."""
    ranked = comparison.who(policy, by)
    names = comparison.groups(by) if by in ("month", "size") else list(ranked.index)
    if by == "user":
        names = list(dict.fromkeys([*names[:_MOST], *names[-_MOST:]]))
    table = comparison.overview(by, [("wait", "mean")]).droplevel("measure").loc[policy].loc[names]
    table.insert(0, "jobs", ranked.jobs.loc[names])
    summary = escape(f"{policy}: mean wait by {by}")
    return f"<details><summary>{summary}</summary>{_html(table, summary)}</details>"


def _whole(title: str, content: Iterable[str]) -> str:
    """Put parts into a page that stands alone; the title is HTML already."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_LOOK}</style></head><body>\n" + "\n".join(content) + "\n</body></html>\n"
    )
