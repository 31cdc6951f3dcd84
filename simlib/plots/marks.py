"""Say on pictures what is synthetic, and save them."""

from base64 import b64encode
from io import BytesIO
from pathlib import Path
from weakref import WeakSet

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .. import paths
from ..workload import Workload
from .style import STYLE

SYNTHETIC = "SYNTHETIC DATA - not a real log"


def mark(ax: Axes, workload: Workload) -> Axes:
    """Write on a picture that what it shows only stands in for a log, where that is so.

    Examples
    --------
    >>> import simlib
    >>> mark(Figure().add_subplot(), simlib.load("sample")).texts[0].get_text()
    'SYNTHETIC DATA - not a real log'
    """
    if workload.stand_in:
        ax.text(
            0.5,
            0.5,
            SYNTHETIC,
            transform=ax.transAxes,
            ha="center",
            va="center",
            color="red",
            alpha=0.5,
            size=12,
            zorder=9,
        )
    return ax


def stamp(figure: Figure) -> None:
    """Write across a picture that what it shows only stands in for a log.

    Examples
    --------
    >>> figure = Figure()
    >>> stamp(figure)
    >>> figure.texts[0].get_text()
    'SYNTHETIC DATA - not a real log'
    """
    figure.text(0.5, 0.5, SYNTHETIC, ha="center", va="center", rotation=20, size=30, color="red", alpha=0.35, zorder=9)


def save(figure: Figure, path: str | Path) -> None:
    """Save a figure as PNG; its bytes are the same wherever it was shown before.

    Parameters
    ----------
    figure : Figure
    path : str or Path
        The file appears at once and whole.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Figure(), f"{folder}/empty.png")
    ...     Path(folder, "empty.png").read_bytes()[1:4]
    b'PNG'
    """
    with paths.replacing(path) as new:
        if figure.stale or figure not in _shown:
            _lay_out(figure)
        _shown.discard(figure)
        _print(figure, new, STYLE["savefig.dpi"])


def shown(figure: Figure) -> str | None:
    """Draw a figure for a notebook: a PNG in base64, the same as IPython's, which draws and lays out more than once.

    Examples
    --------
    >>> shown(Figure()) is None
    True
    """
    if not figure.axes and not figure.lines:  # of which IPython shows nothing either
        return None
    content = BytesIO()
    first = figure.dpi == STYLE["figure.dpi"] and figure.get_layout_engine() is not None
    if first:
        _lay_out(figure)
    _print(figure, content, figure.dpi, laid_out=first)
    if first:
        figure.stale = False
        _shown.add(figure)
    return b64encode(content.getvalue()).decode("ascii")


_shown: WeakSet[Figure] = WeakSet()
"""Figures that are laid out as they were shown; where they are not stale nothing has changed since."""


def _print(figure: Figure, file: Path | BytesIO, dpi: float, laid_out: bool = False) -> None:
    """Write a PNG as `savefig` does, which draws the whole picture once before to find its layout."""
    layout = figure.get_layout_engine()
    if layout is None:
        figure.savefig(file, dpi=dpi)
        return
    canvas, own_dpi = figure.canvas, figure.dpi
    to_print = FigureCanvasAgg(figure)
    figure.dpi = dpi
    if not laid_out:
        layout.execute(figure)
    figure.set_layout_engine("none")
    try:
        to_print.print_png(file)
    finally:
        figure.set_layout_engine(layout)
        figure.dpi = own_dpi
        figure.set_canvas(canvas)


def _lay_out(figure: Figure) -> None:
    """Lay a figure out as a notebook does that shows it once, so that its picture is the same wherever it was shown.

    A layout begins where the last one ended: it makes a difference whether, and by which measures of its texts, a
    figure was drawn before it is saved.
    """
    canvas, dpi = figure.canvas, figure.dpi
    FigureCanvasAgg(figure)  # PNGs are drawn on it
    figure.dpi = STYLE["figure.dpi"]
    for ax in figure.axes:
        if ax.get_in_layout() and (place := ax.get_subplotspec()):  # not where somebody placed it by hand
            ax.set_position(place.get_position(ax.figure))  # type: ignore[arg-type]  # or a part of one
            ax.set_in_layout(True)
    if layout := figure.get_layout_engine():
        layout.execute(figure)
    figure.dpi = dpi
    figure.set_canvas(canvas)
