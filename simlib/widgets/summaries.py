"""How policies are called and what they achieve, in words."""

import dataclasses

import pandas as pd

from ..explain.words import length


def label(policy):
    """A policy's name, with the options that are not the usual ones."""
    name = type(policy).__name__
    if not dataclasses.is_dataclass(policy):
        return name
    options = [(field.name, getattr(policy, field.name), field.default) for field in dataclasses.fields(policy)]
    changed = [f"{key}={getattr(value, '__name__', value)}" for key, value, usual in options if value != usual]
    return ", ".join([name, *changed])  # where there is no room it breaks at a blank


def summaries(schedules):
    """The metrics of schedules as text, a row each: what it is called, means of wait, response and slowdown, shares."""
    rows = {}
    for place, schedule in enumerate(schedules):
        seen = schedule.summary()
        rows[place] = {
            "policy": label(schedule.policy),
            "mean wait": seconds(seen.mean_wait),
            "mean response": seconds(seen.mean_response),
            "mean bounded slowdown": f"{seen.mean_bounded_slowdown:,.1f}",
            "processors in use": f"{seen.load:.0%}",
            "backfilled": f"{seen.backfilled_share:.0%}",
            "makespan": seconds(seen.makespan),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def summary_lines(schedules):
    """The same as lines of text, a column each, so that they are short."""
    return summaries(schedules).set_index("policy").T.rename_axis(columns=None).to_string().splitlines()


def seconds(value):
    """A mean length of time: with a decimal below 100 s, else whole."""
    return f"{value:.1f} s" if value < 100 else length(round(value))
