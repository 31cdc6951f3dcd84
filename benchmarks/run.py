"""How fast, as ratios and rates measured in one run: `make bench` writes benchmarks/RESULTS.md.

Ratios and exponents are what to look at; the seconds are those of the machine that ran it.
"""

import os
import platform
import textwrap
from pathlib import Path

import growth
import others
import policies
import simulating
import study

RESULTS = Path(__file__).parent / "RESULTS.md"


def table(header, rows):
    rows = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def wrapped(paragraph):
    return textwrap.fill(paragraph, 120)


def text():
    yield f"""# Speed

Made by `make bench` on {os.cpu_count()} cores, Python {platform.python_version()}. Times are the best of several runs.

## Reading and simulating

RICC-2010 is left out here and below, because its long queues take very long.

The last six columns: time to simulate the whole log / time that `read_swf` takes for it, with the users' estimates and
with exact ones."""
    yield table(simulating.LOGS, simulating.log_rows())
    yield from policies.text(table)
    yield """## Overload

Above a load of 1 the queue grows as long as jobs arrive: here to a tenth of all jobs at 1.1, to a quarter at 1.3. The
jobs are those of Jann '97; `f = 10` are random estimates of up to ten times the run time. The exponent is the slope of
a line through the logarithms of jobs and of processor time."""
    yield table(growth.OVERLOAD, growth.overload_rows())
    yield f"![processor time by number of jobs]({growth.PICTURE.name})"
    yield growth.OVERLOAD_TEXT
    yield table(growth.OTHERS, growth.others_rows())
    yield growth.OTHERS_TEXT
    yield table(growth.AT_ONCE, growth.at_once_rows())
    yield growth.AT_ONCE_TEXT
    yield table(growth.TEN_MILLION, growth.ten_million_rows())
    yield "## Many runs"
    yield table(study.SHAKEN, study.shaken_rows())
    yield "## Beyond one machine\n\n" + wrapped(others.SWEEP_TEXT)
    yield table(others.SWEEP_HEADER, others.sweep_cost_rows())
    yield wrapped(others.task_note())
    yield "## The whole study\n\n" + study.__doc__.split("\n\n", 1)[1].strip()
    yield table(study.STUDY, study.study_rows())
    yield "## What others use\n\n" + wrapped(others.ACCASIM_TEXT)
    yield table(others.ACCASIM_HEADER, others.accasim_rows())
    yield "## Making workloads"
    yield table(simulating.MODELS, simulating.model_rows())
    yield "## Starting"
    yield table(simulating.STARTS, simulating.start_rows())


def main():
    parts = []
    for part in text():
        print(part, end="\n\n", flush=True)
        parts.append(part)
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
