"""Workloads, schedules, estimates and measures: the inputs and the results of simulations."""
