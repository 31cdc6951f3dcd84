"""The house style: colours, and matplotlib's settings."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from ..arrays import Floats

Key = TypeVar("Key")

# Okabe and Ito's palette: told apart by readers with any colour vision, and in grey
EASY_COLOUR, CONSERVATIVE_COLOUR = "#0072B2", "#D55E00"
COLOURS = [EASY_COLOUR, CONSERVATIVE_COLOUR, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]

INK = ("white", "black")  # on solid and on pale ground

STYLE: dict[Any, Any] = {
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E5E5E5",
    "legend.frameon": False,
    "axes.prop_cycle": plt.cycler(color=COLOURS),
}


def use_style() -> None:
    """Switch matplotlib to the house style, whatever its settings were, and notebooks to pictures as they are saved.

    Examples
    --------
    >>> with plt.rc_context():  # only to leave the settings of these examples alone
    ...     use_style()
    ...     plt.rcParams["savefig.dpi"]
    150.0
    """
    plt.rcdefaults()
    plt.rcParams.update(STYLE)
    if "inline" in plt.get_backend():
        from IPython.core.getipython import get_ipython
        from matplotlib_inline.config import InlineBackend

        from .marks import shown

        whole: dict[str, Any] = {"bbox_inches": None}  # to crop pictures they would be drawn twice
        inline = InlineBackend.instance()
        inline.print_figure_kwargs = whole
        if (shell := get_ipython()) and shell.display_formatter and inline.figure_formats == {"png"}:
            shell.display_formatter.formatters["image/png"].for_type(Figure, shown)


def scheduler_styles(schedulers: Sequence[str], **style: Any) -> dict[str, dict[str, Any]]:
    """Name and colour the schedulers for a legend: entries of `legend`.

    Examples
    --------
    >>> scheduler_styles(["easy", "conservative"], marker="o")["EASY"]
    {'color': '#0072B2', 'marker': 'o'}
    """
    names = ["EASY" if scheduler == "easy" else scheduler for scheduler in schedulers]
    return {name: {"color": colour} | style for name, colour in zip(names, COLOURS, strict=False)}


def shades(keys: Iterable[Key]) -> dict[Key, Floats]:
    """Choose a colour for each of some ordered keys, from pale to dark.

    Examples
    --------
    >>> pale, dark = shades(["short", "long"]).values()
    >>> bool(pale[:3].sum() > dark[:3].sum())
    True
    """
    scale = LinearSegmentedColormap.from_list("shades", ["#F0C24B", "#D55E00", "#7B4A8C", "#0B3C5D"])
    keys = list(keys)
    return dict(zip(keys, scale(np.linspace(0, 1, len(keys))), strict=True))
