"""Step through the decisions of a scheduler."""

import json
from html import escape
from typing import Any

from matplotlib.figure import FigureBase

from simlib import plots
from simlib._util.words import number, processors
from simlib.core.schedule import Policy
from simlib.core.workload import Workload
from simlib.explain import explain
from simlib.explain.records import Explanation

from ..views import label, stepping
from ..web import asset
from .control import Control


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


class Stepper(Control):
    """A control that steps through an `Explanation`; see `stepper`."""

    def __init__(self, explanation: Explanation, predict: bool) -> None:
        self.explanation, self._predict = explanation, predict

    def html(self) -> str:
        """Make a piece of HTML that needs no kernel and reaches for nothing else, for any page and any notebook."""
        data = json.dumps(stepping(self.explanation, self._predict), separators=(",", ":"), ensure_ascii=False)
        data = data.replace("<", "\\u003c")  # so that no name of a job ends the script
        schedule = self.explanation.schedule
        jobs, workload = len(schedule.jobs), schedule.workload
        head = f"<b>{escape(workload.name)}</b> under {escape(label(schedule.policy))}: "
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

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return super()._repr_mimebundle_() | {"text/html": self.html()}

    def draw(self, figure: FigureBase) -> None:
        ax = figure.add_axes((0.075, 0.15, 0.905, 0.74))
        plots.gantt(self.explanation.schedule, ax)

    def lines(self) -> list[str]:
        starts = [str(seen) for seen in self.explanation if seen.kind in ("start", "backfill")]
        return [f"The starts among {len(self.explanation)} decisions, by second:", *starts]
