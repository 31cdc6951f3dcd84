"""The base of all controls: a widget where somebody can use it, and a picture with text everywhere else."""

import base64
import io
import json
import textwrap
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import matplotlib
from matplotlib.figure import Figure, FigureBase

from ...plots.style import STYLE
from ..web import asset

LARGE: dict[Any, Any] = STYLE | {
    "figure.constrained_layout.use": False,  # takes longer than to draw the picture
    "font.size": 15,
    "axes.titlesize": 16,
    "axes.linewidth": 1.2,
    "lines.linewidth": 2.5,
    "hatch.linewidth": 1.5,
}
"""How pictures look that have to be read from the back of a lecture hall."""

DPI = 120
LINES, COLUMNS = 16, 100  # of text under a picture


class Control:
    """The base of all controls: a script draws `data` in a browser, `page` is HTML for browsers without scripts."""

    size = (11.0, 4.3)  # of the picture, inches

    def __init__(self, data: dict[str, Any], page: str = "") -> None:
        self.data, self.page, self.shown = data, page, False
        made = widget_class()
        self.widget = made(data=data, page=page) if made else None
        if self.widget is not None:
            self.widget.on_msg(lambda _, message, buffers: self.hear(message))

    def update(self, data: dict[str, Any]) -> None:
        """Show other data."""
        self.data = data
        if self.widget is not None:
            self.widget.data = data

    def hear(self, message: dict[str, Any]) -> None:
        """Do what somebody typed or moved, as web/live.js tells it."""

    def draw(self, figure: FigureBase) -> None:
        """Draw into an empty figure what is to be seen without a script."""
        raise NotImplementedError

    def lines(self) -> list[str]:
        """Write the lines of text that go with it."""
        raise NotImplementedError

    def html(self) -> str:
        """Make a piece of HTML that needs no kernel and reaches for nothing else, for any page and any notebook."""
        data = json.dumps(self.data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
        opening = f'<simlib-view class="simlib-web simlib-{self.data["kind"]}">'
        view = f'{opening}\n{self.page}\n<script type="application/json">{data}</script>\n</simlib-view>'
        style, script = asset("stepper.css"), asset("stepper.js")
        return f'<style>{style}</style>\n{view}\n<script type="module">{script}</script>\n'

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Give notebooks the picture and the text; and the widget, if somebody can use it."""
        picture = base64.b64encode(png(self.draw, self.size, self.lines())).decode()
        bundle = {"text/plain": repr(self), "image/png": picture}
        self.shown = True
        if in_batch():  # of a widget a page would show dead buttons, or nothing, in the place of the picture
            return bundle | ({"text/html": self.html()} if self.page else {})
        if self.widget is None:
            return bundle
        view = "application/vnd.jupyter.widget-view+json"
        return bundle | {view: {"version_major": 2, "version_minor": 0, "model_id": self.widget.model_id}}


@cache
def widget_class() -> Any:
    """Make the class of all widgets; None where anywidget is not installed."""
    try:
        from anywidget import AnyWidget
        from traitlets import Dict, Unicode
    except ImportError:
        return None

    class View(AnyWidget):
        _esm = f"{asset('stepper.js')}\n{asset('live.js')}"
        _css = asset("stepper.css")
        data = Dict().tag(sync=True)
        page = Unicode().tag(sync=True)

    return View


def in_batch() -> bool:
    """Tell whether a program executes this cell, such as papermill: then nobody can answer or press a button."""
    from IPython import get_ipython

    kernel: Any = getattr(get_ipython(), "kernel", None)
    request = kernel.get_parent("shell") if hasattr(kernel, "get_parent") else {}
    return request.get("content", {}).get("allow_stdin") is False


def live() -> bool:
    """Tell whether this cell is executed in a notebook for somebody who can press buttons."""
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None and not in_batch()


def png(draw: Callable[[FigureBase], object], size: tuple[float, float], lines: Iterable[str]) -> bytes:
    """Draw a picture as PNG, with lines of text under it."""
    # the second and further lines begin below the first word of the sentence
    indents = [(line, " " * 13 if line.startswith(" ") else "") for line in lines]
    lines = [part for line, indent in indents for part in textwrap.wrap(line, COLUMNS, subsequent_indent=indent)]
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], f"... and {len(lines) - LINES + 1} more lines"]
    below = 0.15 + 0.21 * len(lines)
    with matplotlib.rc_context(LARGE):
        figure = Figure((size[0], size[1] + below))
        parts: Any = figure.subfigures(2, 1, height_ratios=[size[1], below])
        above, under = parts
        under.text(0.02, 1, "\n".join(lines), va="top", family="monospace", size=12, linespacing=1.25)
        draw(above)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=DPI, pil_kwargs={"compress_level": 1})
        figure.clear()  # its parts refer to one another, so that they would stay until the next garbage collection
    return buffer.getvalue()
