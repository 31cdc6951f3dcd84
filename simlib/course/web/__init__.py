"""Show on any page, without a kernel, how a schedule comes about: in plain HTML and JavaScript.

    simlib.course.web.stepper_html(workload, simlib.EASY())
    simlib.course.web.compare_html(workload, [simlib.FCFS(), simlib.EASY()])

Each gives a piece of HTML that brings all it needs and reaches for nothing else: to be put into a page, to be shown in
a notebook by `IPython.display.HTML`, several of them on one page if you like.
"""

from .page import compare_html, explanation_html, schedules_html, stepper_html

__all__ = ["compare_html", "explanation_html", "schedules_html", "stepper_html"]
