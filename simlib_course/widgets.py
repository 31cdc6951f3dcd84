"""The stepper: go through the decisions of a scheduler, one by one.

    simlib_course.widgets.stepper(workload, simlib.EASY())

The last line of a cell shows it. It needs no kernel: JupyterLab runs the same script as any page, for which `html()`
gives it, and without scripts all its sentences are there. Where a notebook shows neither, it is a picture with text.
"""

import base64
import io
import json
import textwrap
from collections.abc import Callable, Iterable
from html import escape
from typing import Any

import matplotlib
from matplotlib.figure import Figure, FigureBase

from simlib import plots
from simlib._util.words import number, processors
from simlib.core.schedule import Policy
from simlib.core.workload import Workload
from simlib.explain import explain
from simlib.explain.records import Explanation
from simlib.plots.style import STYLE

from .views import named, stepping
from .web import asset

__all__ = ["stepper"]


def stepper(workload: Workload, policy: Policy, overrun: str = "extend", predict: bool = False) -> "Stepper":
    """Step through the decisions of a scheduler, forwards and backwards.

    You see a Gantt chart that grows: the line "now" divides what has happened, in full colour, from what the scheduler
    expects: running jobs until their estimates end, pale, and reservations, dashed. Backfilled jobs are hatched; the
    job that was just decided on has a thick frame; the extra processors are grey from the shadow time on. Beside it
    stand the processors that are free, the shadow time, the queue, head first, and the running jobs; under it the
    decision in a sentence, and its rule.

    The buttons go to the First decision, Back, on to the Next one, to the Next start of a job, and to the Last; Play
    goes on by itself. Next, Back and Play pass over decisions that tell nothing new, such as that the head still waits;
    the slider shows each. The keys are the arrows, Home, End, and the space bar, which plays; all other keys
    remain those of the notebook.

    Parameters
    ----------
    workload : Workload
        Of up to about 200 jobs.
    policy, overrun : as for `simlib.explain.explain`
    predict : bool
        Whether to ask "Who starts next?" at each arrival and end after which somebody waits, and after each start, with
        a button for each waiting job and one for nobody. It tells what was right, and keeps the score. Next
        goes on without an answer. The button Predict turns it on and off.

    Returns
    -------
    Stepper

    Raises
    ------
    ValueError
        For a workload without jobs, and as `simlib.explain.explain`.

    Examples
    --------
    >>> import simlib
    >>> stepper(simlib.Workload.of("one job", 4, A=(0, 10, 10, 3)), simlib.EASY())
    The starts among 3 decisions, by second:
              0  Job A starts from the head of the queue: it needs 3 of the 4 free processors.
    """
    if len(workload) == 0:
        raise ValueError(f"{workload.name}: stepper: found no job, expected at least one")
    return Stepper(explain(workload, policy, overrun), predict)


class Stepper:
    """A control that steps through an `Explanation`; see `stepper`."""

    size = (11.0, 4.3)  # of the picture, inches

    def __init__(self, explanation: Explanation, predict: bool) -> None:
        self.explanation, self._predict = explanation, predict

    def html(self) -> str:
        """Make a piece of HTML that needs no kernel and reaches for nothing else, for any page and any notebook."""
        data = json.dumps(stepping(self.explanation, self._predict), separators=(",", ":"), ensure_ascii=False)
        data = data.replace("<", "\\u003c")  # so that no name of a job ends the script
        schedule = self.explanation.schedule
        jobs, workload = len(schedule.jobs), schedule.workload
        head = f"<b>{escape(workload.name)}</b> under {escape(named(schedule.policy))}: "
        head += f"{jobs} job{'s' if jobs > 1 else ''} on {processors(workload.procs)}"
        told = "".join(f"<li>At {number(seen.time)}: {escape(seen.sentence)}</li>" for seen in self.explanation)
        return f"""<style>{asset("stepper.css")}</style>
<simlib-view class="simlib-web simlib-stepper">
<p class="sw-head">{head}</p>
<details open><summary>All {len(self.explanation)} decisions</summary><ol>{told}</ol></details>
<script type="application/json">{data}</script>
</simlib-view>
<script type="module">{asset("stepper.js")}</script>
"""

    def draw(self, figure: FigureBase) -> None:
        """Draw the whole schedule, which is to be seen without a script."""
        plots.gantt(self.explanation.schedule, figure.add_axes((0.075, 0.15, 0.905, 0.74)))

    def __repr__(self) -> str:
        starts = [str(seen) for seen in self.explanation if seen.kind in ("start", "backfill")]
        return "\n".join([f"The starts among {len(self.explanation)} decisions, by second:", *starts])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        picture = base64.b64encode(_png(self.draw, self.size, repr(self).splitlines())).decode()
        return {"text/plain": repr(self), "image/png": picture, "text/html": self.html()}


# The picture with text, for wherever nothing can be pressed

LARGE: dict[Any, Any] = STYLE | {
    "figure.constrained_layout.use": False,  # takes longer than to draw the picture
    "font.size": 15,
    "axes.titlesize": 16,
    "axes.linewidth": 1.2,
    "lines.linewidth": 2.5,
    "hatch.linewidth": 1.5,
}
"""How pictures look that have to be read from the back of a lecture hall."""

_DPI = 120
_LINES, _COLUMNS = 16, 100  # of text under a picture


def _png(draw: Callable[[FigureBase], object], size: tuple[float, float], lines: Iterable[str]) -> bytes:
    """Draw a picture as PNG, with lines of text under it."""
    # the second and further lines begin below the first word of the sentence
    indents = [(line, " " * 13 if line.startswith(" ") else "") for line in lines]
    lines = [part for line, indent in indents for part in textwrap.wrap(line, _COLUMNS, subsequent_indent=indent)]
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 1], f"... and {len(lines) - _LINES + 1} more lines"]
    below = 0.15 + 0.21 * len(lines)
    with matplotlib.rc_context(LARGE):
        figure = Figure((size[0], size[1] + below))
        parts: Any = figure.subfigures(2, 1, height_ratios=[size[1], below])
        above, under = parts
        under.text(0.02, 1, "\n".join(lines), va="top", family="monospace", size=12, linespacing=1.25)
        draw(above)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=_DPI, pil_kwargs={"compress_level": 1})
        figure.clear()  # its parts refer to one another, so that they would stay until the next garbage collection
    return buffer.getvalue()
