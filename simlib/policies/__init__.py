"""Say what a scheduling policy is: its options, checked, and the kernel of `simlib.engine` that carries it out.

A policy is any object with a method `schedule(submit, run, estimate, procs, machine)` over int64 arrays, jobs in order
of arrival, that returns a dict of one array a job: `start` in seconds, and if it likes `backfilled` (bool) and others.

To take part in `simulate(..., feedback=True)` the method has a further parameter `feedback=None`, which is then a pair
of int64 arrays: for each job the place of the one that it follows, -1 for none, and its think time in seconds. A job
that follows another is submitted its think time after the simulated end of that one; the dict has `submit` too.

To show how far it has come, and to be stopped when it takes long, the method has a parameter
`progress_and_stop=None`, an int64 array of two numbers: it writes how many jobs have started into the first, and
returns when the second is not 0.

A policy that looks at more of the jobs than that has a method `prepare(jobs)` as well, which returns the policy to use
for this jobs table of a workload.

Examples
--------
A policy of your own that lets each job start when all before it have ended:

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
from ..core.policy import Feedback, Policy
from .conservative import Conservative, Selective
from .easy import EASY, FCFS, Predictions
from .orders import Multifactor, Thresholded
from .slurm import SlurmBackfill

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

__getattr__ = importing(__name__, "examples_own", "orders", "own_policy", "walltime")
