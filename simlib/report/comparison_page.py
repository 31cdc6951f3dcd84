"""A comparison of policies as a page of HTML that stands alone."""

import base64
import io
from html import escape

from matplotlib.figure import Figure

from ..analysis.comparison import MEANING, Comparison
from ..plots import plt
from ..plots.style import STYLE

LOOK = """body { font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; font-size: 13px; margin: 1em 0 } img { max-width: 100% }
th, td { padding: .2em .7em; text-align: right; border-bottom: 1px solid #ddd }
th { text-align: left; vertical-align: top }"""

MOST = 8
"""So many users and the like are listed at either end."""


def page(comparison: Comparison) -> str:
    """Write a comparison as a page with its pictures in it.

    Examples
    --------
    >>> import simlib
    >>> policies = {"EASY": simlib.EASY(), "FCFS": simlib.FCFS()}
    >>> found = simlib.compare(simlib.load("sample"), policies, shakes=3, by=["all"])
    >>> "<h1>sample: FCFS with EASY</h1>" in page(found)
    True
    """
    name = comparison.workload.name
    title = f"{name}: {', '.join(comparison.others)} with {comparison.base}"
    policies = "".join(f"<li>{escape(key)}: {escape(said)}</li>" for key, said in comparison.policies.items())
    parts = [
        f"<h1>{escape(title)}</h1><p>{escape(repr(comparison.workload).strip('<>'))}</p><ul>{policies}</ul>",
        f"<p>{escape(MEANING.format(**comparison.settings))}</p>",
        comparison.overview().to_html(border=0),
    ]
    with plt.rc_context(STYLE):
        parts.append(_picture(comparison.forest()))
        for by in comparison.by:
            if by != "all":
                parts += [f"<h2>By {by}</h2>", _picture(comparison.winners(by=by)), _groups(comparison, by)]
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{LOOK}</style></head><body>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def _groups(comparison: Comparison, by: str) -> str:
    """A table of the mean waits of groups; of many, those who lose most and those who gain most."""
    table = comparison.overview(by, [("wait", "mean")]).droplevel("measure")
    parts = []
    for policy in comparison.others:
        ranked = comparison.who(policy, by)
        names = comparison.groups(by) if by in ("month", "size") else list(ranked.index)
        if by == "user":
            names = list(dict.fromkeys([*names[:MOST], *names[-MOST:]]))
        of_policy = table.loc[policy].loc[names]
        of_policy.insert(0, "jobs", ranked.jobs.loc[names])
        summary = f"{policy}: mean wait by {by}"
        parts.append(f"<details><summary>{escape(summary)}</summary>{of_policy.to_html(border=0)}</details>")
    return "\n".join(parts)


def _picture(figure: Figure) -> str:
    """A figure as an image that is part of the page, with its label for those who do not see it."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png")
    plt.close(figure)
    alt, content = escape(str(figure.get_label())), base64.b64encode(stream.getvalue()).decode()
    return f'<p><img alt="{alt}" src="data:image/png;base64,{content}"></p>'
