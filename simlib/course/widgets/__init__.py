"""Controls for a lab: step through a schedule, compare policies, vary a workload, edit its jobs.

    simlib.course.widgets.stepper(workload, simlib.EASY())
    simlib.course.widgets.compare(workload, [simlib.FCFS(), simlib.EASY()])
    simlib.course.widgets.explore(simlib.load("KTH-SP2").months("1996-12"))
    simlib.course.widgets.editor(workload, simlib.EASY())

As the last line of a cell each shows buttons and sliders where somebody can use them. Where a notebook is executed in
batch, where its file is only looked at, and where ipywidgets is not installed, it shows a picture with text instead.
"""

from .comparison import compare, explore
from .editing import editor
from .stepping import stepper

__all__ = ["compare", "editor", "explore", "stepper"]
