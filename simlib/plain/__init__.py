"""Every policy in plain Python, beside the papers' pseudo-code: what a scheduler sees, the loop, and the decisions.

A policy is a function, or an object that belongs to one run. At each instant, after jobs have ended and arrived, it is
called with the queue and the machine, and yields its decisions, each before it takes effect:

- `machine` has `Job`, `Queue`, `Profile` and `Machine`: what a scheduler may know;
- `decisions` has what is yielded, and every rule with its facts;
- `loop` has `simulate`, and `restore`, with which it begins in the middle of a schedule;
- `easy` has FCFS and EASY, and who passes the head; `reserving` conservative backfilling, reservations for some of the
  jobs, and Slurm's backfill; `orders` orders of the queue and fair share; `estimates` predicted and adjusted run times.

A policy of one's own (`simlib.OwnPolicy`) is of the same kind.

The room shares no code with `simlib.engine`, so that comparing them job by job means something, and compiles nothing.
Explanations, the steps of the lessons and policies of one's own use it.
"""

from .decisions import Note, Promise, Start, Wait
from .machine import Job, Machine, Profile, Queue

__all__ = ["Job", "Machine", "Note", "Profile", "Promise", "Queue", "Start", "Wait"]
