"""Scheduling policies: each has options, which it checks, and a kernel of `simlib.engine` that carries it out.

A policy is any object with a method `schedule(submit, run, estimate, procs, machine)`. It takes int64 arrays, with jobs
in order of arrival, and returns a dict of arrays with one value for each job: `start` in seconds, optionally
`backfilled` (bool) and others. A Series in the dict is matched by the jobs' index.

To support `simulate(..., feedback=True)`, the method has a further parameter `feedback=None`. With feedback it is a
pair of int64 arrays: for each job the place of the job that it follows, -1 for none, and its think time in seconds. A
job that follows another is submitted its think time after the simulated end of that job. The dict then has `submit`,
too.

To show progress and to be stopped, the method has a parameter `progress_and_stop=None`, an int64 array of two numbers.
The method writes the number of started jobs into the first, and returns when the second is not 0.

A policy that needs other columns of the jobs has a method `prepare(jobs)`, too. It returns the policy to use for this
jobs table of a workload.

Examples
--------
Your own policy, which starts each job when all jobs before it have ended:

>>> import simlib
>>> class OneByOne:
...     def schedule(self, submit, run, estimate, procs, machine):
...         start, free = [], 0
...         for job in range(len(submit)):
...             start.append(max(submit[job], free))
...             free = start[job] + run[job]
...         return {"start": start}
>>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 2), B=(1, 5, 8, 2))
>>> simlib.simulate(w, OneByOne()).jobs.start.to_list()
[0, 10]
"""

from .._util import importing
from ..core.schedule import Feedback, Policy
from .conservative import Conservative, Selective, SlurmBackfill
from .easy import EASY, FCFS, Predictions
from .orders import Multifactor, Thresholded

__all__ = [
    "EASY",
    "FCFS",
    "Conservative",
    "Feedback",
    "Multifactor",
    "Policy",
    "Predictions",
    "Selective",
    "SlurmBackfill",
    "Thresholded",
]

__getattr__ = importing(__name__, "examples_own", "orders", "own_policy", "steps")
