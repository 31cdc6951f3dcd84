"""The steps in which a twin is made, and in which its table is fitted to a log.

Other code calls `simlib.models.twin`, which puts the steps together, and `simlib.models.fit_twins`.
"""
