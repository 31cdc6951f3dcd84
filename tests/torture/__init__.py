"""Attacks on what simlib promises: a clear error or the right result, never a wrong number in silence.

`python -m tests.torture` (`make torture`) runs them and writes docs/robustness.md. Each module holds the attacks of one
kind, each attack is a function of a `Plan` that returns what it `Tried`.
"""
