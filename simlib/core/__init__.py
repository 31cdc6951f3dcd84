"""Workloads, schedules, estimates and measures: what is simulated, and what comes out of it."""
