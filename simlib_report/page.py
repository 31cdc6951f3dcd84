"""Make one HTML page of a log: the answer, three pictures, and below them folded numbers."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import count
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from markupsafe import Markup
from matplotlib.figure import Figure

from simlib import plots
from simlib._util import paths
from simlib._util.words import time
from simlib.analysis.cases import Case
from simlib.analysis.comparison import Comparison
from simlib.core.schedule import Schedule
from simlib.core.workload import Workload
from simlib.logs import archive, reading, sacct
from simlib.logs.files import PACKED
from simlib.plots.style import svg

from . import description, facts, losses, progress
from . import outages as away
from .answer import TEMPLATES, answer, decided, when
from .in_slurm import how as in_slurm
from .in_slurm import nearest, waited_for_said
from .partitions import SHARED, divides, division, on_partitions, partitions, together
from .policies import (
    ASKED,
    ASKED_OF_SLURM,
    COLUMNS,
    JUDGED,
    MEANING,
    WHAT_IFS,
    by_group,
    called,
    chosen,
    compared,
    overview,
    usable,
    what_if_cases,
    what_if_said,
)
from .slurm_settings import AS_SET, settings

_Called = Callable[[str, str], str]


@dataclass(frozen=True)
class Section:
    """Answer one question on a page: a heading, and below it paragraphs, lists, tables and pictures.

    The parts are paragraphs (str), lists (list of str), tables (DataFrame) and pictures (Figure); None and empty parts
    are left out.
    """

    title: str
    parts: list[Any] = field(default_factory=list)

    def kinds(self) -> list[tuple[str, Any]]:
        """List the parts that have content, with their kinds."""
        names = {str: "paragraph", list: "list", pd.DataFrame: "table", Figure: "picture"}
        there = (
            part for part in self.parts if part is not None and len(part.axes if isinstance(part, Figure) else part)
        )
        return [(names[type(part)], part) for part in there]


class Page:
    """The answers to all questions about a log; each is computed once, when it is first used.

    Parameters
    ----------
    workload : Workload
    policies : str or iterable of str, optional
        Names in `simlib_report.POLICIES`; by default those of `simlib_report.ASKED` that the log allows.
    base : str, optional
        The policy of the site, with which the others are compared; by default the first.
    what_ifs : str or iterable of str
        Questions such as "procs +20%": see `simlib_report.what_if`.
    partitions : str or dict, optional
        Make each partition a separate machine: "each", or sizes such as "batch+debug=400, gpu=64:16" (processors, and
        GPUs behind the colon); see `simlib_report.partitions`. By default all share one machine.
    names : bool
        Whether the page shows the names of users and partitions, which the log's header must have.
    shakes : int, optional
        Shaken runs of a comparison; by default 20, or fewer for a long log, but at least 5.
    seed : int
    slurm_conf : str or Path, optional
        slurm.conf, or what `scontrol show config` prints: the base is the policy that it sets.
    allowed : float
        A policy is recommended only if the mean wait, the wait weighted by work, the longest wait and the late jobs'
        share grow by no more per cent than this.
    outages : str or Path, optional
        When which processors were away: see `simlib_report.outages.outages`. Policies that do not plan around outages
        are not compared then; by default the policies are those of Slurm.
    title : str, optional
        The page's title; by default a question with the log's name.
    executor : concurrent.futures.Executor, optional
        What runs the simulations: see `simlib.sweep`.

    Attributes
    ----------
    cases : dict
        The policies that suit the log, by name, the base first, and what-ifs.
    what_ifs : list of str
        The cases that are no policies, those asked for first.
    parts : dict of str to Workload
        The partitions, if each is a separate machine.

    Raises
    ------
    ValueError
        If there is no policy, for an unknown one, and as from `what_if` and `partitions`. For a base, a policy or a
        what-if that was asked for, and that the log does not allow, such as fair share without users. For names that
        the log does not have.

    Examples
    --------
    >>> w = Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 8, 2))
    >>> page = Page(w, ["EASY", "FCFS"], shakes=4)
    >>> [section.title for section in page.sections()][:2]
    ['What if', 'Every policy compared']
    """

    def __init__(
        self,
        workload: Workload,
        policies: str | Iterable[str] | None = None,
        base: str | None = None,
        what_ifs: str | Iterable[str] = (),
        partitions: str | Mapping[str, Any] | None = None,
        names: bool = False,
        shakes: int | None = None,
        seed: int = 0,
        slurm_conf: str | Path | None = None,
        allowed: float = losses.ALLOWED,
        outages: str | Path | None = None,
        title: str | None = None,
        executor: Any = None,
    ) -> None:
        if not 0 <= allowed < float("inf"):
            raise ValueError(f"{workload.name}: found allowed={allowed!r}, expected a number of per cent, such as 10")
        self.shakes, self.seed, self.allowed, self.executor = shakes, seed, allowed, executor
        self.title = title or f"{workload.name}: would another scheduling policy be better?"
        known = sacct.names(workload)
        if names and not any(known.values()):
            raise ValueError(f"{workload.name}: found names={names}, expected a log whose header has names")
        self.called = partial(called, names=known) if names else called
        self.parts = {} if partitions is None else _parts(workload, partitions, {} if names else known["partition"])
        self.workload = together(workload, self.parts) if self.parts else workload
        self.of_slurm = bool(slurm_conf or outages) or sacct.is_converted(workload) or (base or "").startswith("Slurm")
        asked_of = ASKED_OF_SLURM if self.of_slurm else ASKED
        cases = chosen(asked_of if policies is None else policies, base)
        if self.of_slurm:
            cases |= nearest(cases)
        self.not_simulated: list[str] = []
        if slurm_conf is not None:
            if base is not None:
                raise ValueError(f"{workload.name}: found base={base!r} with {slurm_conf}, expected one of them")
            ours = settings(slurm_conf)
            cases, self.not_simulated = {AS_SET: ours.policy, **cases}, ours.not_simulated
        self.base = next(iter(cases))
        texts = [what_ifs] if isinstance(what_ifs, str) else list(what_ifs)
        others = {text: division(text, self.workload, self.parts, cases[self.base]) for text in texts if divides(text)}
        more = what_if_cases(workload, cases[self.base], [text for text in texts if text not in others])
        self.what_ifs = [*more, *(name for name in list(cases)[1:] if isinstance(cases[name], tuple))]
        self._asked_ifs = [name for name in more if name not in WHAT_IFS]
        asked = [self.base, *self._asked_ifs, *(cases if policies is not None else ())]
        self.cases, self.left_out = usable(self.workload, cases | more, asked)
        if outages is not None:
            self.cases = self._around(outages, asked, partitions is not None or bool(others))
        if self.parts:
            self.cases = {name: on_partitions(case, self.parts) for name, case in self.cases.items()}
        self.cases |= others
        self.what_ifs += others
        self._asked_ifs += others

    def _around(self, outages: str | Path, asked: list[str], divided: bool) -> dict[str, Case]:
        """The cases that plan around outages."""
        if divided:
            raise ValueError(f"{self.workload.name}: found outages with partitions, expected one machine")
        table = away.outages(outages, self.workload)
        able = away.planned_around(self.cases, table, asked)
        self.left_out += [away.said(table, self.workload)]
        if unable := [name for name in self.cases if name not in able]:
            self.left_out.append(f"Not compared: {'; '.join(unable)}: not made for outages.")
        return able

    @cached_property
    def schedules(self) -> Mapping[str, Schedule]:
        """The recorded schedule, and the schedules of the cases on the unchanged log."""
        return facts.schedules(self.workload, self.cases, self.executor)

    @cached_property
    def queue(self) -> bool:
        """Whether jobs wait under the base."""
        return self.base not in self.schedules or facts.has_queue(self.schedules[self.base])

    @cached_property
    def found(self) -> Comparison | None:
        """The comparison of all cases with the base; where no job waits, only of the what-ifs that were asked for."""
        by = ["all", "user", "size", *(["partition"] if self.parts else [])]
        names = self.cases if self.queue else [self.base, *self._asked_ifs]
        return compared(
            self.workload, {name: self.cases[name] for name in names}, self.shakes, self.seed, by, self.executor
        )

    @cached_property
    def decision(self) -> dict[str, Any]:
        """What the answer says, and of which policy."""
        given = self.workload, self.schedules, self.found, self.base, self.cases, self.what_ifs
        return decided(*given, self.allowed, self.of_slurm)

    @cached_property
    def answer(self) -> dict[str, Markup]:
        """The answer, in five lines."""
        return answer(self.workload, self.schedules, self.found, self.decision, self.called)

    @cached_property
    def first(self) -> str | None:
        """The policy that pictures and tables show first: that of the decision, or else the one with the least wait."""
        found = self.found
        if found is None or self.decision["policy"]:
            return self.decision["policy"]
        others = [policy for policy in found.others if policy not in self.what_ifs] or found.others
        change: dict[str, Any] = {
            policy: found.table.loc[(policy, "all", "all", "wait", "mean"), "difference"] for policy in others
        }
        return min(change, key=lambda policy: change[policy])

    def left(self) -> list[str]:
        """Say what the simulation leaves out."""
        w = self.workload
        counts = [
            f"{count:,} {'jobs are' if count > 1 else 'job is'} left out: {reason}."
            for reason, count in w.dropped.value_counts(sort=False).items()
        ]
        return [
            "Limits, holds, reservations and outages: no log has them, and what is not said below is not simulated.",
            *counts,
            *self.left_out,
            *_absent(self.found),
            *self._machines(),
            *(f"{AS_SET}: {said}" for said in self.not_simulated),
        ]

    def _machines(self) -> list[str]:
        """The text on partitions and GPUs."""
        w = self.workload
        sentences = [f"{step}." for step in w.history if "GPU" in step]
        if w.log is not None and not self.parts:
            used = w.log.partition.loc[w.jobs.index]
            if (count := used[used >= 0].nunique()) > 1:
                sentences.append(f"The {count} partitions are simulated as one machine whose nodes they share.")
        return sentences

    def pictures(self) -> list[tuple[Figure, str]]:
        """Draw the three pictures, each with a sentence that explains it.

        Examples
        --------
        >>> page = Page(Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 8, 2)), ["EASY"])
        >>> page.pictures()[0][1]
        'Each line is one policy: the higher it is, the more jobs have started after a wait.'
        """
        name = self.first
        lines = "Each line is one policy: the higher it is, the more jobs have started after a wait."
        if facts.RECORDED in self.schedules:
            lines += " The dotted line is what the log recorded."
        made = {one: each for one, each in self.schedules.items() if one not in self.what_ifs}
        waits = facts.waits_picture(made, [self.base, *([name] if name else [])])
        return [*([(waits, lines)] if waits else []), *_of_comparison(self.found, name, self.called)]

    def sections(self) -> list[Section]:
        """The folded sections of the page.

        Examples
        --------
        >>> page = Page(Workload.of("one job", 4, A=(0, 10, 20, 3)))
        >>> page.sections()[0].title
        'How long jobs wait under every policy'
        """
        w, found = self.workload, self.found
        numbers = overview(found, self.schedules, self.base, self.allowed)
        judged, waits = (
            (None, None)
            if numbers is None
            else (numbers[[name for name in numbers if (name in JUDGED) is which]] for which in (True, False))
        )
        if judged is not None and waits is not None:
            waits.insert(0, "mean wait", judged["mean wait"])
        runs = "" if found is None else f"{found.settings['shakes'] + 1} runs of each policy"
        estimates = [facts.use_said(w), _captioned(facts.use(w), "The requested time"), facts.use_picture(w)]
        made = [
            Section("What if", [what_if_said(found, self.schedules, self.what_ifs)]),
            Section("Every policy compared", [_captioned(judged, f"Against {self.base}: {runs}")] if found else []),
            Section("How long jobs wait under every policy", [_captioned(waits, "Waits of all jobs")]),
            Section("Who waits how long, by request and by size", self._by_class()),
            Section("Who would wait longer, and who shorter", _whom(found, self.first, self.called)),
            Section("The partitions, each on a separate machine", self._partitions()),
            Section("The recorded waits, and why they differ", [facts.why_recorded_differ(w), self._explained()]),
            Section("How good the users' estimates are", estimates),
            Section(
                "The log, and what is left out",
                [_captioned(description.about(w), "The log"), description.doubtful(w), self.left()],
            ),
            Section("What the policies are, and what the page cannot tell", [self._policies(), _LIMITS]),
        ]
        return [section for section in made if section.kinds()]

    def _by_class(self) -> list[Any]:
        """The waits by request and by size under the base and the policy that is shown first."""
        names = [name for name in (self.base, self.first or "") if name in self.schedules]
        pair = {name: self.schedules[name] for name in names}
        if not names or len({len(one.workload) for one in pair.values()}) > 1:
            return []
        tables = {"By request": losses.by_request(pair), "By size": losses.by_size(pair)}
        texts = {caption: losses.waits_said(table) for caption, table in tables.items()}
        return [_captioned(text, caption) for caption, text in texts.items()]

    def _explained(self) -> pd.DataFrame | None:
        """The recorded waits beside those under the base, by partition."""
        table = facts.explained(self.schedules, self.base)
        if table is None:
            return None
        rows = {
            "all" if name == "all" else self.called("partition", str(name)): {
                "jobs": f"{row.jobs:,.0f}",
                "recorded": time(row.recorded, short=True),
                f"under {self.base}": time(row.simulated, short=True),
                "explained": facts.share(row.simulated / row.recorded) if row.recorded else "",
            }
            for name, row in table.iterrows()
        }
        return _captioned(pd.DataFrame.from_dict(rows, orient="index"), "Mean waits of the jobs whose waits are known")

    def _policies(self) -> pd.DataFrame | None:
        """The meaning of each case, and how Slurm does the same."""
        rows = {
            name: {
                "what it does": ({AS_SET: "what slurm.conf sets"} | MEANING).get(name, f"{self.base} with this change"),
                "in Slurm": "" if name in self.what_ifs else in_slurm(name),
            }
            for name in self.cases
        }
        table = pd.DataFrame.from_dict(rows, orient="index")
        return _captioned(table.loc[:, (table != "").any()], "The policies")

    def _partitions(self) -> list[Any]:
        """The table of the partitions and their sum."""
        if not self.parts:
            return []
        parts = {self.called("partition", name): part for name, part in self.parts.items()} | {"all": self.workload}
        table = pd.DataFrame(
            {"processors": f"{part.procs:,}", "jobs": f"{len(part):,}", "load": f"{part.load:.2f}"}
            for part in parts.values()
        ).set_axis(list(parts))
        waits = [by_group(self.found, by, self.first, self.called) for by in ("partition", "all")]
        if waits[0] is not None:  # partitions that share a machine stand below it
            known = pd.concat(waits)
            shared = [name for name in known.index if name not in table.index]
            table = table.reindex([*list(parts)[:-1], *shared, "all"])
            table = table.assign(jobs=table.jobs.fillna(known.jobs)).join(known.drop(columns="jobs")).fillna("")
        return [_captioned(table, "The partitions"), SHARED]

    def html(self) -> str:
        """Write the page.

        Examples
        --------
        >>> page = Page(Workload.of("one job", 4, A=(0, 10, 20, 3)))
        >>> page.html()[:15], "there is no queue" in page.html()
        ('<!DOCTYPE html>', True)
        """
        policies = [self.decision["policy"], *(self.decision["more"] or ())[:1]]
        numbered = count()
        with plt.rc_context():
            plots.use_style()
            return TEMPLATES.get_template("page.html.j2").render(
                title=self.title,
                about=_about(self.workload),
                lines=self.answer,
                slurm=[(name, *said.split(": ", 1)) for name in policies if (said := in_slurm(name or ""))],
                waited=waited_for_said(self.workload),
                tempting="; ".join(f"{name} ({', '.join(what)})" for name, what in self.decision["tempting"].items()),
                pictures=self.pictures(),
                sections=self.sections(),
                svg=lambda figure: Markup(svg(figure, f"p{next(numbered)}")),
                meaning=COLUMNS,
            )


def _parts(workload: Workload, sizes: str | Mapping[str, Any], hidden: Mapping[int, str]) -> dict[str, Workload]:
    """Divide a log into machines; if names are hidden, numbers name them."""
    given = {} if sizes == "each" else _sizes(sizes) if isinstance(sizes, str) else sizes
    numbers = {name: str(number) for number, name in hidden.items()}
    made = partitions(workload, given)
    return {"+".join(numbers.get(one, one) for one in name.split("+")): part for name, part in made.items()}


def _sizes(text: str) -> dict[str, Any]:
    """The sizes of partitions in a text."""
    sizes: dict[str, Any] = {}
    for piece in text.split(","):
        if not (match := re.fullmatch(r"\s*([^=]+?)\s*=\s*(\d{1,9})(?::(\d{1,9}))?\s*", piece)):
            raise ValueError(
                f"partitions: found {piece.strip()!r}, expected each, or sizes: batch+debug=400, gpu=64:16"
            )
        sizes[match[1]] = (int(match[2]), int(match[3])) if match[3] else int(match[2])
    return sizes


_LIMITS = (
    "Users react: where jobs wait less, more are submitted. A simulation does not know that, nor limits, priorities, "
    "reservations and outages; it takes each job as it was, with the same size and run time. So the differences "
    "between policies are more reliable than the waits themselves."
)


def _absent(found: Comparison | None) -> list[str]:
    """The jobs that do not take part in a case, or are shorter in it."""
    if found is None:
        return []
    parts = found.taking_part
    said = [f"{name}: {row['base only']:,} jobs are left out." for name, row in parts.iterrows() if row["base only"]]
    return said + [f"{name}: {row.shorter:,} jobs run shorter." for name, row in parts.iterrows() if row.shorter]


def _of_comparison(found: Comparison | None, name: str | None, called: _Called) -> list[tuple[Figure, str]]:
    """The pictures of a comparison: all policies, and one policy's winners and losers."""
    if found is None or name is None:
        return []
    bars = "Thick bars are chance, thin bars another year; grey changes may be chance."
    drawn = [(plots.changes(found), f"Left of equal jobs wait less. {bars}")]
    clear = [by for by in found.by if by != "all" and (~found.who(name, by).holds.isin(["coincidence", "equal"])).any()]
    if clear:
        by = "user" if "user" in clear else clear[0]
        who = "users" if by == "user" else "groups of jobs"
        said = f"The {who} who lose and win most with {name}. Left of equal they wait less."
        drawn.append((plots.changes(found, name, by, called), said))
    for figure, _ in drawn:
        plt.close(figure)
    return drawn


def _captioned(table: pd.DataFrame | None, caption: str) -> pd.DataFrame | None:
    """Give a table a caption."""
    if table is not None:
        table.attrs["caption"] = caption
    return table


def _whom(found: Comparison | None, first: str | None, called: _Called) -> list[Any]:
    """The tables by group, with an explanation."""
    if found is None:
        return []
    ways = [by for by in found.by if by not in ("all", "partition")]
    captions = {"user": "Changes of the mean wait by user", "size": "Changes of the mean wait by size"}
    tables: list[Any] = [_captioned(by_group(found, by, first, called), captions[by]) for by in ways]
    if "user" not in ways:
        tables.insert(0, "The log does not have two users with 30 jobs each, so nothing is known of users.")
    return [*tables, "Changes in brackets may be chance. Of many users the table has those who lose and win most."]


def _about(workload: Workload) -> str:
    """The log in a line."""
    gpus = f" and {_many(workload.gpus, 'GPU')}" if getattr(workload, "gpus", 0) else ""
    made_up = " (made up: this is no real log)" if workload.synthetic else ""
    return f"{_many(len(workload), 'job')}{made_up} on {_many(workload.procs, 'processor')}{gpus}{when(workload)}"


def _many(count: int, what: str) -> str:
    """Write how many things there are."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


_FIELDS = "job", "submit", "wait", "run", "procs", "requested_time", "partition"
"""The fields of a log that a page needs."""

_TAKEN = ("procs", "partition", "first", "last", "unit", "timezone", "gpus", "names", "columns", "cluster")


def report(log: str | Path, out: str | Path | None = None, **options: Any) -> Path:
    """Write the answers to all questions about a log as one page that needs no other file.

    Parameters
    ----------
    log : str or Path
        As for `simlib_report.taken`.
    out : str or Path, optional
        The path of the page; by default in the current folder, under the log's name.
    **options
        As for `simlib_report.taken`, and as for `Page`; `gpus=0` leaves out the GPUs of the log.

    Returns
    -------
    Path
        The page. It appears at once and whole; the same log gives the same bytes. Until then a hidden folder beside it
        keeps the runs of a long log: a report that was killed goes on where it was.

    Raises
    ------
    ArchiveError, SWFError, ValueError
        As from `simlib_report.taken` and `Page`; if the page would overwrite the log.
    OSError
        If it cannot be written.

    Examples
    --------
    >>> report("nowhere.swf")
    Traceback (most recent call last):
        ...
    simlib.logs.archive.ArchiveError: nowhere.swf: found no such file, and no such name in the catalogue; expected ...
    """
    name = re.sub(r"[.](swf|txt|csv)$", "", PACKED.sub("", Path(log).name))
    target = Path(f"{name}.html") if out is None else Path(out)
    file = archive.path_or_name(log)
    here = archive.find(file) if isinstance(file, str) else (file,)
    paths.refuse_unwritable(target, *(here or ())[:1])  # before anybody waits for the page
    without_gpus = options.get("gpus") == 0
    taken = {key: value for key, value in options.items() if key in _TAKEN and not (key == "gpus" and without_gpus)}
    progress.return_memory()
    with progress.Progress() as telling:
        telling.now(f"reading {log}")
        workload = reading.with_fields(reading.taken(log, **taken), _FIELDS)
        if without_gpus and workload.gpus:
            workload = workload.without_gpus()
        telling.now("preparing policies")
        page = Page(workload, **{key: value for key, value in options.items() if key not in _TAKEN or key == "names"})
        for what in ("procs", "gpus"):
            sum_of_parts, given = getattr(page.workload, what), options.get(what)
            if page.parts and given not in (None, sum_of_parts):
                raise ValueError(f"partitions: found {sum_of_parts:,} {what} in all, expected {what}={given:,}")
        page.executor = runs = progress.Runs(telling, target, page.workload, page.cases, page.shakes, page.seed)
        written = False
        try:
            telling.now("simulating each policy once")
            page.schedules  # noqa: B018, which are kept
            telling.now("simulating shaken logs")
            page.found  # noqa: B018
            telling.now("writing the page")
            text = page.html()
            with paths.replacing(target) as new:
                new.write_text(text, encoding="utf-8")
            written = True
        finally:
            runs.end(written)
    return target
