"""Controls for a lab: step through a schedule, compare policies, vary a workload, edit its jobs.

    simlib.course.widgets.stepper(workload, simlib.EASY())
    simlib.course.widgets.compare(workload, [simlib.FCFS(), simlib.EASY()])
    simlib.course.widgets.explore(simlib.load("KTH-SP2").months("1996-12"))
    simlib.course.widgets.editor(workload, simlib.EASY())

The last line of a cell shows one, which one script draws in JupyterLab. The first two need no kernel: a notebook that
is executed in batch has HTML that steps, and `html()` gives the same for any page. Where a notebook's file is only
looked at, and where anywidget is not installed, each is a picture with text.
"""

from .editing import editor
from .exploring import explore
from .stepping import compare, stepper

__all__ = ["compare", "editor", "explore", "stepper"]
