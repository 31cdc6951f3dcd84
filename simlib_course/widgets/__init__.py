"""Controls for a lab: step through a schedule, edit the jobs of a workload.

    simlib_course.widgets.stepper(workload, simlib.EASY())
    simlib_course.widgets.editor(workload, simlib.EASY())

The last line of a cell shows one. The stepper needs no kernel: JupyterLab runs the same script as any page, for which
`html()` gives it, and without scripts all its sentences are there. The editor needs a kernel, and anywidget. Where a
notebook shows neither, each is a picture with text.
"""

from .editing import editor
from .stepping import stepper

__all__ = ["editor", "stepper"]
