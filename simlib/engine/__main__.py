"""Compile the kernels now: `python -m simlib.engine`. Otherwise one waits when each is first used."""

from simlib import EASY, FCFS, Conservative, estimates, load, simulate, walltime
from simlib.papers.mualem2001.programs import ConservativeProgram, EasyProgram

workload = load("sample")
scheme = walltime.Scheme()
programs = EasyProgram(), ConservativeProgram()  # readings of the text, which have kernels of their own
for policy in (FCFS(), EASY(), EASY(adjust=walltime.Adjustment(scheme)), Conservative(), *programs):
    simulate(workload, policy).summary()
walltime.adjusted(workload.jobs, workload.jobs.submit + workload.jobs.run, scheme)
workload.with_estimates(estimates.Historical())
