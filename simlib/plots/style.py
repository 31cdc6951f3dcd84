"""The style of all pictures: colours, and matplotlib's settings."""

import re
from base64 import b64encode
from collections.abc import Iterable
from html import escape
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from PIL import Image

from .._util import paths
from .._util.arrays import Floats
from ..core.workload import Workload

_Key = TypeVar("_Key")

# Okabe and Ito's palette: told apart by readers with any colour vision, and in grey
EASY_COLOUR, CONSERVATIVE_COLOUR = "#0072B2", "#D55E00"
COLOURS = [EASY_COLOUR, CONSERVATIVE_COLOUR, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]

INK = ("white", "black")  # on solid and on pale ground

STYLE: dict[Any, Any] = {
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "font.size": 9,
    "axes.titlesize": 9.5,
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
    """Switch matplotlib to our style, from any settings, and let notebooks show pictures as they are saved.

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

        whole: dict[str, Any] = {"bbox_inches": None}  # to crop pictures they would be drawn twice
        inline = InlineBackend.instance()
        inline.print_figure_kwargs = whole
        if (shell := get_ipython()) and shell.display_formatter and inline.figure_formats == {"png"}:
            shell.display_formatter.formatters["image/png"].for_type(Figure, shown)


def shades(keys: Iterable[_Key]) -> dict[_Key, Floats]:
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


# Say on pictures what is synthetic, and save them.


SYNTHETIC = "SYNTHETIC DATA - not a real log"

_ACROSS: dict[str, Any] = {"ha": "center", "va": "center", "color": "red", "zorder": 9}


def mark(ax: Axes, workload: Workload) -> Axes:
    """Stamp a picture if its data are synthetic.

    Examples
    --------
    >>> import simlib
    >>> mark(Figure().add_subplot(), simlib.load("sample")).texts[0].get_text()
    'SYNTHETIC DATA - not a real log'
    """
    if workload.stand_in:
        ax.text(0.5, 0.5, SYNTHETIC, transform=ax.transAxes, alpha=0.5, size=12, **_ACROSS)
    return ax


def stamp(figure: Figure, text: str = SYNTHETIC) -> None:
    """Write across a picture, once, that its data are synthetic, or another text."""
    if text not in [there.get_text() for there in figure.texts]:
        size = min(30, 4 * figure.get_figwidth())
        figure.text(0.5, 0.5, text, rotation=20, alpha=0.35, size=size, **_ACROSS)


def save(figure: Figure, path: str | Path) -> None:
    """Save a figure as PNG, PDF or SVG, by the path's ending; its bytes do not depend on where it was shown before.

    Parameters
    ----------
    figure : Figure
    path : str or Path
        The file appears at once and whole. Without an ending of these it is a PNG.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Figure(), f"{folder}/empty.png")
    ...     Path(folder, "empty.png").read_bytes()[1:4]
    b'PNG'
    """
    with paths.replacing(path) as new:
        new.write_bytes(drawn(figure, new.suffix))


VECTOR = (".pdf", ".svg")
"""Endings of pictures that can be enlarged, as journals want them."""


def drawn(figure: Figure, ending: str = ".png") -> bytes:
    """Draw a figure as `save` does, and return the file."""
    if ending not in VECTOR:
        return _png(figure, STYLE["savefig.dpi"])
    file = BytesIO()
    _at_the_beginning(figure)
    with plt.rc_context({"pdf.fonttype": 42, "svg.hashsalt": "simlib"}):  # journals refuse fonts of type 3
        figure.savefig(file, format=ending[1:], metadata={"CreationDate" if ending == ".pdf" else "Date": None})
    return file.getvalue()


_INK = {"#000000": "currentColor", "#e5e5e5": "var(--grid, #e5e5e5)"}
"""What black and the grid are in a page, where the reader chooses light or dark."""


def svg(figure: Figure, name: str) -> str:
    """Draw a figure as a part of a page: an SVG as wide as its place, with the page's font and text colour.

    The figure's label is its description. `name` (letters and digits) distinguishes the pictures of one page.
    """
    file = StringIO()
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = file.getvalue()
    text = re.sub(r"(?s)<metadata>.*?</metadata>|<style.*?</style>", "", text[text.index("<svg") :])
    box = re.search(r'viewBox="[^"]*"', text)
    assert box is not None
    text = f'<svg role="img" aria-label="{escape(_described(figure))}" {box[0]}{text[text.index(">") :]}'
    text = re.sub(r'\b(id="|href="#|url\(#)', rf"\1{name}-", text)
    text = re.sub(r"font-family: [^;\"]*;? ?", "", text)
    text = re.sub("#(?:000000|e5e5e5)\\b", lambda colour: _INK[colour[0]], text)
    return text.strip()


def _described(figure: Figure) -> str:
    """Describe a figure for readers who do not see it: its label, or else the texts on it."""
    if label := str(figure.get_label()):
        return label
    titles = [ax.get_title(place) for ax in figure.axes for place in ("left", "center", "right")]
    axes = [figure.get_supxlabel(), figure.get_supylabel()]
    axes += [text for ax in figure.axes for text in (ax.get_xlabel(), ax.get_ylabel())]
    legends = [*figure.legends, *(legend for ax in figure.axes if (legend := ax.get_legend()))]
    entries = [text.get_text() for legend in legends for text in legend.get_texts()]
    messages = [figure.get_suptitle(), *(legend.get_title().get_text() for legend in figure.legends)]
    parts = {"": [*messages, *titles], "axes: ": axes, "shown: ": entries}
    said = [head + ", ".join(dict.fromkeys(filter(None, texts))) for head, texts in parts.items() if any(texts)]
    return " ".join("; ".join(said).split()) or "a picture without words"


def shown(figure: Figure) -> tuple[str, dict[str, int | str]] | None:
    """Draw a figure for a notebook: its PNG in base64, its width on a page, and its description.

    The PNG has more pixels than its width, for screens that show them. Saving it later does not draw it again. (IPython
    itself would draw and lay out more than once.) The height is not given: a narrow page would keep it, and squeeze the
    picture.
    """
    if not figure.axes and not figure.lines:  # of which IPython shows nothing either
        return None
    content = _png(figure, max(figure.dpi, STYLE["savefig.dpi"]))
    return b64encode(content).decode("ascii"), {
        "width": int(figure.get_figwidth() * figure.dpi),
        "alt": _described(figure),
    }


_drawn: WeakKeyDictionary[Figure, tuple[float, bytes]] = WeakKeyDictionary()
"""The last picture of each figure, with its resolution; where the figure is not stale nothing has changed since."""


def _png(figure: Figure, dpi: float) -> bytes:
    """Lay a figure out and draw it, each once (`savefig` draws it twice); or take the earlier drawing."""
    if not figure.stale and figure in _drawn and _drawn[figure][0] == dpi:
        return _drawn[figure][1]
    file, layout, canvas, own_dpi = BytesIO(), figure.get_layout_engine(), figure.canvas, figure.dpi
    to_print = FigureCanvasAgg(figure)  # its texts have the measures of PNGs, whatever canvas the figure has
    figure.dpi = dpi
    try:
        if layout is not None:
            _at_the_beginning(figure)
            layout.execute(figure)
            figure.set_layout_engine("none")
        to_print.draw()
        drawn = np.asarray(to_print.buffer_rgba())
        if drawn[..., 3].min() < 255:  # one can see through it
            to_print.print_png(file)
        else:
            of_256_colours(Image.fromarray(drawn)).save(file, "PNG", optimize=True, dpi=(dpi, dpi))
    finally:
        if layout is not None:  # which would be that of the settings
            figure.set_layout_engine(layout)
        figure.dpi = own_dpi
        figure.set_canvas(canvas)
    figure.stale = False
    _drawn[figure] = dpi, file.getvalue()
    return file.getvalue()


def of_256_colours(picture: Image.Image) -> Image.Image:
    """Reduce a picture to 256 colours, a third of its bytes: areas and lines keep theirs, smoothed edges may not."""
    return picture.convert("RGB").quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def _at_the_beginning(figure: Figure) -> None:
    """Put the axes where they were made, so that a picture does not depend on earlier showings.

    A layout begins with the result of the last one, and depends on it slightly.
    """
    for ax in figure.axes:
        if ax.get_in_layout() and (place := ax.get_subplotspec()):  # not where somebody placed it by hand
            ax.set_position(place.get_position(ax.figure))  # type: ignore[arg-type]  # or a part of one
            ax.set_in_layout(True)
