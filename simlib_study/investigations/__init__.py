"""Investigations behind the study that are not finished: which rules other programs follow."""
