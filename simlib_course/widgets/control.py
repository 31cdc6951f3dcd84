"""The base of both controls: a picture with text, for wherever nothing can be pressed."""

import base64
import io
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

import matplotlib
from matplotlib.figure import Figure, FigureBase

from simlib.plots.style import STYLE

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
    """The base of both controls: a picture with text, which every notebook shows."""

    size = (11.0, 4.3)  # of the picture, inches

    def draw(self, figure: FigureBase) -> None:
        """Draw into an empty figure what is to be seen without a script."""
        raise NotImplementedError

    def lines(self) -> list[str]:
        """Write the lines of text that go with it."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        picture = base64.b64encode(png(self.draw, self.size, self.lines())).decode()
        return {"text/plain": repr(self), "image/png": picture}


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
