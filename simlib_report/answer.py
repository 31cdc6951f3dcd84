"""Answer in five lines whether another policy would help: what would change, how sure this is, what to do next.

Every number in these lines is also in a table of the page. A number has an explanation, which the page shows when the
reader points at it.
"""

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from markupsafe import Markup

from simlib._util.words import difference, time
from simlib.analysis.comparison import Comparison
from simlib.core.workload import Workload

from .facts import share
from .policies import called as by_number
from .policies import sure

CHANGE, SURE, AGAINST, LEFT_OUT, NEXT = (
    "What would change",
    "How sure is that",
    "Compared with what",
    "What is left out",
    "What to do next",
)
"""The five questions that the lines answer."""

_MEAN: Any = ("all", "all", "wait", "mean")
_LATE: Any = ("all", "all", "wait", "95th")


def answer(
    workload: Workload,
    found: Comparison | None,
    *,
    base: str = "EASY",
    under_base: np.ndarray | None = None,
    recorded: float | None = None,
    what_ifs: Collection[str] = (),
    called: Callable[[str, str], str] | None = None,
    ignored: Collection[str] = (),
) -> dict[str, Markup]:
    """Answer in five lines, from a comparison of policies and facts of the log, by the questions that they answer.

    `under_base` has the waits under the base, if they are so short that there is no queue; `recorded` is the mean wait
    that the log recorded; `what_ifs` are the cases that are no policies, and so are not recommended; `called` says how
    to call a group; `ignored` are sentences on the parts of this log that the simulation leaves out.
    """
    called = called or by_number
    where = Markup("<b>{}</b>{}").format(workload.name, when(workload))
    lines = dict.fromkeys((CHANGE, SURE, AGAINST, LEFT_OUT, NEXT), Markup(""))
    lines[AGAINST] = _against(base, recorded)
    lines[LEFT_OUT] = _left_out(workload, ignored)
    if not len(workload):
        lines[CHANGE] = Markup("Nothing can be said of {}: no job of the log can be simulated.").format(where)
        lines[SURE] = Markup("There is nothing to be sure of.")
        lines[NEXT] = Markup("Look at what was left out, and make the page again from a log with jobs.")
    elif under_base is not None:
        some, mean = share(float((under_base > 0).mean())), time(float(under_base.mean()))
        lines[CHANGE] = Markup(
            "Nothing: {} has no queue, so the policy does not matter. {} of the jobs wait at all, "
            "and the mean wait is {}."
        ).format(
            where,
            _of(some, f"share of the jobs that wait under {base}"),
            _of(mean, f"mean wait of all jobs under {base}"),
        )
        lines[CHANGE] += _what_if(found, what_ifs) if found else ""
        lines[SURE] = Markup("Very sure for the jobs of this log: a job that starts at once cannot start sooner.")
        lines[NEXT] = Markup("Nothing now. Make this page again when users begin to wait.")
    elif found is None:
        lines[CHANGE] = Markup("Nothing can be said of {}: there is no second policy to compare.").format(where)
        lines[SURE] = Markup("There is nothing to be sure of.")
        lines[NEXT] = Markup("Make this page again with at least two policies that suit the log.")
    else:
        lines |= _compared(found, where, what_ifs, called)
    return lines


def best(found: Comparison, what_ifs: Collection[str] = ()) -> str | None:
    """Choose the policy to recommend: the one that shortens the mean wait most, among those that surely shorten it.

    A policy that also shortens it in another year comes before all that may not.
    """
    rows = {policy: found.shown.loc[(policy, *_MEAN), :] for policy in found.others if policy not in what_ifs}
    held = {policy: sure(row) for policy, row in rows.items()}
    better = [
        policy for policy, row in rows.items() if row.difference < 0 and held[policy] not in ("equal", "coincidence")
    ]
    return min(better, key=lambda policy: (held[policy] != "another year", rows[policy].difference), default=None)


def _compared(found: Comparison, where: Markup, what_ifs: Collection[str], called: Any) -> dict[str, Markup]:
    """The lines that follow from a comparison."""
    policy, base = best(found, what_ifs), found.base
    if policy is None:
        return _none_better(found, where, what_ifs)
    row, held = _row(found, policy), sure(found.shown.loc[(policy, *_MEAN), :])
    change = Markup("With <b>{}</b> jobs of {} would wait {} on average instead of {} under {}: {}.").format(
        policy, where, _mean(row.value, policy), _mean(row.base, base), base, _moved(row.difference, policy, base)
    )
    losers, whom = _for_whom(found, policy, called)
    late = found.shown.loc[(policy, *_LATE), :]
    if late.difference > 0 and sure(late) not in ("equal", "coincidence"):
        of: Any = found.table.loc[(policy, *_LATE), :]
        change += Markup(" But one job in twenty would wait longer than {}, now {}.").format(
            _of(time(of.value), f"wait that 5 % of the jobs exceed under {policy}"),
            _of(time(of.base), f"wait that 5 % of the jobs exceed under {base}"),
        )
    change += whom + _what_if(found, what_ifs)
    runs = found.settings["shakes"] + 1
    luck = Markup(
        "Chance does not explain it: the gain stays when all jobs arrive up to a minute earlier or later ({} runs). "
    )
    year = {
        "another year": "Another year of the same users would most likely show it, too.",
        "this log": "But another year could show no gain, or a loss: it differs from one part of the log to another.",
        "unknown": "But the log is too short to tell what another year would bring.",
    }[held]
    return {
        CHANGE: change,
        SURE: luck.format(_of(f"{runs}", "simulations of each policy")) + Markup("{}").format(year),
        NEXT: _next(policy, base, held, losers),
    }


def _next(policy: str, base: str, held: str, losers: list[str]) -> Markup:
    """The advice on a policy that shortens the mean wait."""
    if held != "another year":
        return Markup(
            "Do not switch yet. Make this page from a longer log, or from another year, and see whether {} wins again."
        ).format(policy)
    if not losers:
        return Markup("Try {} for a month and compare the mean wait with that of the month before.").format(policy)
    who = " and ".join([", ".join(losers[:-1]), losers[-1]] if losers[1:] else losers)
    return Markup(
        "Talk to those who would wait longer ({}). Then try {} for a month, and watch their waits, too."
    ).format(who, policy)


def _none_better(found: Comparison, where: Markup, what_ifs: Collection[str]) -> dict[str, Markup]:
    """The lines if no policy surely shortens the mean wait."""
    base = found.base
    held = {policy: sure(found.shown.loc[(policy, *_MEAN), :]) for policy in found.others if policy not in what_ifs}
    chance = [policy for policy in held if held[policy] == "coincidence"]
    worse = sorted(
        (policy for policy in held if held[policy] not in ("equal", "coincidence")),
        key=lambda policy: _row(found, policy).difference,
    )
    mean = _mean(_row(found, found.others[0]).base, base)
    if not held:
        change = Markup("No other policy was tried on {}: with {} jobs wait {} on average.").format(where, base, mean)
    elif not worse and not chance:
        change = Markup(
            "Nothing: with every policy that was tried jobs of {} start when they start with {}, after {} on average."
        )
        change = change.format(where, base, mean)
    elif not chance:
        change = Markup("Nothing for the better: with {} jobs of {} wait {} on average, with {} {}{}.").format(
            base,
            where,
            mean,
            worse[0],
            _mean(_row(found, worse[0]).value, worse[0]),
            f", and longer still with: {'; '.join(worse[1:])}" if worse[1:] else "",
        )
    else:
        change = Markup(
            "Nothing that is certain: with {} jobs of {} wait {} on average, and no policy is clearly better{}."
        )
        change = change.format(base, where, mean, f"; worse would be: {'; '.join(worse)}" if worse else "")
    runs = _of(f"{found.settings['shakes'] + 1}", "simulations of each policy")
    certain = "Chance does not explain it: with jobs up to a minute earlier or later the result stays ({} runs)."
    if chance:
        certain = "Not sure: with jobs up to a minute earlier or later ({} runs) the gains come and go."
    advice = Markup("Make this page again from a longer log." if chance else "Look at the size of the machine instead.")
    better = best(found, [name for name in found.others if name not in what_ifs])
    if better:
        advice = Markup("More would come of {}: {}.").format(
            better, _moved(_row(found, better).difference, better, base)
        )
    return {
        CHANGE: change + _what_if(found, what_ifs),
        SURE: Markup(certain).format(runs),
        NEXT: Markup("Keep {}. {}").format(base, advice),
    }


def _for_whom(found: Comparison, policy: str, called: Any) -> tuple[list[str], Markup]:
    """The groups that would wait longer, and a sentence on those that would wait less or longer."""
    by = next((by for by in ("user", "size") if by in found.by), None)
    if by is None:
        return [], Markup("")
    table = found.who(policy, by)
    clear = table[~table.holds.isin(["coincidence", "equal"])]
    lose, gain = clear[clear.difference > 0], clear[clear.difference < 0]
    many = "users" if by == "user" else "sizes of jobs"
    count = Markup(" {} of {} {} would wait less and {} longer").format(
        _of(f"{len(gain)}", f"{many} that surely wait less under {policy}"),
        _of(f"{len(table)}", f"{many} with enough jobs to judge"),
        many,
        _of(f"{len(lose)}", f"{many} that surely wait longer under {policy}"),
    )
    names = [called(by, str(name)) for name in lose.index]
    if not len(lose):
        return [], count + Markup(".")
    most = _moved(lose.difference.iloc[0], policy, found.base)
    return names[:3] + ["others"] * (len(names) > 3), count + Markup(", most of all {} ({}).").format(names[0], most)


def _what_if(found: Comparison, what_ifs: Collection[str]) -> Markup:
    """A sentence on each of the cases that are no policies."""
    said = Markup("")
    for name in [name for name in found.others if name in what_ifs]:
        row = found.shown.loc[(name, *_MEAN), :]
        if sure(row) not in ("equal", "coincidence"):
            said += Markup(" With {}: {}.").format(name, _moved(_row(found, name).difference, name, found.base))
        else:
            said += Markup(" With {}: no clear difference.").format(name)
    return said


def _against(base: str, recorded: float | None) -> Markup:
    """The line on the base of the comparison."""
    line = Markup("{}, simulated with the same jobs. ").format(base)
    if recorded is None:
        return line + Markup("The log does not record how long jobs really waited.")
    return line + Markup(
        "The log recorded waits of {} on average. These are not comparable: they contain the limits, "
        "holds and outages of the time."
    ).format(_of(time(recorded), "mean of the recorded waits"))


def _left_out(workload: Workload, ignored: Collection[str]) -> Markup:
    """The line on the facts that the simulation leaves out."""
    line = Markup("Limits, holds, reservations and outages: no log has them.")
    for reason, count in workload.dropped.value_counts(sort=False).items():
        line += Markup(" {} jobs are left out: {}.").format(_of(f"{count:,}", f"jobs left out: {reason}"), reason)
    return line + Markup("").join(Markup(" {}").format(each) for each in ignored)


def when(workload: Workload) -> str:
    """Tell from which month to which the jobs were submitted, in brackets."""
    if workload.start is None or not len(workload):
        return ""
    first, last = (workload.time(second) for second in workload.jobs.submit.iloc[[0, -1]])
    if (first.year, first.month) == (last.year, last.month):
        return f" ({first:%B %Y})"
    return f" ({first:%B}{'' if first.year == last.year else f' {first:%Y}'} to {last:%B %Y})"


def _row(found: Comparison, policy: str) -> Any:
    """The mean waits of all jobs under a policy and the base."""
    return found.table.loc[(policy, *_MEAN), :]


def _mean(seconds: float, policy: str) -> Markup:
    """A mean wait."""
    return _of(time(seconds), f"mean wait of all jobs under {policy}")


def _moved(seconds: float, policy: str, base: str) -> Markup:
    """A difference of mean waits."""
    return _of(difference(seconds), f"mean wait under {policy} minus mean wait under {base}")


def _of(number: str, meaning: str) -> Markup:
    """A number with its explanation."""
    return Markup('<abbr title="{}">{}</abbr>').format(meaning, number)
