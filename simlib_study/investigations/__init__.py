"""Investigations behind the study that are not finished: which rules Tang's simulator follows."""
