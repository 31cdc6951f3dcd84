"""Investigations behind the study: which program the authors ran, which months, which jobs."""
