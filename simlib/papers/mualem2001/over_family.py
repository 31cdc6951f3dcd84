"""Answers over the family of Feitelson models: what was measured on each member, as a verdict, a table and a picture.

What is measured is by id of the claim, rule, member and part. A part that is about a variant of the model, such as Fl,
is not asked of members whose Fl does not do what its name says: they are shown, and have no say.
"""

from functools import partial
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import FuncFormatter, MaxNLocator

from ... import plots
from ...models import feitelson_family
from ..exhibit import Part
from ..ledger import HOLDS, HOLDS_NOT, UNTOLD, criteria, decide
from ..results import bracketed
from .pictures import DOT

ABOUT = {"MF-20": "Fl", "MF-21": "Fl", "MF-22": "Fs"}
"""The variants that claims are about; those of MF-43 are the names of its parts."""

LEVELS = ["claim", "part", "rule", "member"]

NO_SAY = "no say"
COLOURS = {HOLDS: plots.COLOURS[0], HOLDS_NOT: plots.COLOURS[1], UNTOLD: "#808080", NO_SAY: "#808080"}
BOUNDS = {"facecolor": "#DDE8DD"}


def decided(id, measured):
    """Decide a claim by what was measured of its parts: a dict by rule, member and part."""
    readings = {
        rule: {
            part: {on: parts[part] for on, parts in members.items() if has_say(id, part, on)} for part in criteria()[id]
        }
        for rule, members in measured.items()
    }
    return decide(id, readings, _without_say(id, measured[next(iter(measured))]))


def has_say(id, part, member):
    """Tell whether a member's variants do what their names say, as far as this part of a claim is about one."""
    return ABOUT.get(id, part) not in feitelson_family.members().get(member, {"unlike": ()})["unlike"]


def _without_say(id, members):
    """Write what was measured on members that have no say."""
    texts = []
    for (on, parts), (part, criterion) in product(members.items(), criteria()[id].items()):
        if not has_say(id, part, on):
            form, one = f"{{:{criterion.form}}}", parts[part]
            texts.append(f"{part}, {on} {bracketed(form, one.value, one.low, one.high)}")
    return f"without a say, for the variant does not do what its name says: {'; '.join(texts)}" if texts else ""


def answers(measured):
    """Lay out what was measured by (claim, part, rule, member): `value`, `low`, `high`, and the verdict on it."""
    rows = {
        (id, part, rule, on): _answer(id, part, on, parts[part])
        for id, rules in measured.items()
        for part, (rule, members) in product(criteria()[id], rules.items())
        for on, parts in members.items()
    }
    return pd.DataFrame(list(rows.values()), pd.MultiIndex.from_tuples(list(rows), names=LEVELS))


def _answer(id, part, on, one):
    verdict = criteria()[id][part].judge(one) if has_say(id, part, on) else NO_SAY
    return {"value": one.value, "low": one.low, "high": one.high, "verdict": verdict}


def parts(measured, on):
    """Make the parts of an exhibit that show the answers: on the members, and on the Fsl that they share."""
    table = answers(measured)
    of_fsl = table.index.get_level_values("member").isin(feitelson_family.fsl())
    tables = {"family": table[~of_fsl], "fsl": table[of_fsl]}
    return {suffix: Part(rows, partial(drawn, rows), on) for suffix, rows in tables.items() if len(rows)}


def drawn(table, columns=4):
    """Draw the answers under the first rule: a panel each part of a claim, a dot with its interval each member.

    Where a part has to lie is shaded.
    """
    table = table.xs(table.index.unique("rule")[0], level="rule")
    panels, members = list(table.index.droplevel("member").unique()), list(table.index.unique("member"))
    columns = min(columns, len(panels))
    shape = -(-len(panels) // columns), columns
    size = (2.6 + 2.3 * columns, 0.9 + shape[0] * (0.85 + 0.21 * len(members)))
    figure, axes = plt.subplots(*shape, figsize=size, sharey=True, squeeze=False)
    for ax, (id, part) in zip(axes.flat, panels, strict=False):
        _panel(ax, table.xs((id, part), level=("claim", "part")), criteria()[id][part])
        ax.set_title(f"{id}\n{part}", fontsize="medium")
    for ax in axes.flat[len(panels) :]:
        ax.set_axis_off()
    axes[0, 0].set(yticks=range(len(members)), yticklabels=members, ylim=(len(members) - 0.5, -0.5))
    dots = {verdict: {"color": colour, **DOT} | _filled(verdict) for verdict, colour in COLOURS.items()}
    there = {verdict: style for verdict, style in dots.items() if (table.verdict == verdict).any()}
    plots.legend(figure, there | {"has to lie here": BOUNDS})
    return figure


def _panel(ax, rows, criterion):
    for place, row in enumerate(rows.itertuples()):
        ax.hlines(place, row.low, row.high, color=COLOURS[row.verdict], linewidth=3, alpha=0.4)
        ax.plot(row.value, place, color=COLOURS[row.verdict], markersize=5, **DOT, **_filled(row.verdict))
    bounds = np.array([criterion.above, criterion.below])
    finite = bounds[np.isfinite(bounds)]
    ends = np.nanmin([*rows.low, *finite]), np.nanmax([*rows.high, *finite])
    margin = 0.06 * (ends[1] - ends[0]) or 0.06
    ax.set_xlim(ends[0] - margin, ends[1] + margin)
    ax.axvspan(*np.clip(bounds, *ax.get_xlim()), zorder=0, **BOUNDS)
    unit, sign = (100, "%") if "%" in criterion.form else (1, "")
    ax.xaxis.set_major_locator(MaxNLocator(4, steps=(1, 2, 5, 10)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{unit * value:.3g}{sign}"))
    ax.grid(axis="y", visible=False)


def _filled(verdict):
    return {"fillstyle": "none" if verdict == NO_SAY else "full"}
