"""How notebooks show what they used and found."""

import textwrap

import pandas as pd


def logs_table(workloads):
    """Lay out which file or model each workload came from, and which of its jobs take part, as a table."""
    rows = []
    for workload in workloads:
        dropped = [f"{count:,} {reason}" for reason, count in workload.dropped.value_counts(sort=False).items()]
        rows.append(
            {
                "log": workload.name,
                "file": ("SYNTHETIC " if workload.stand_in else "") + _origin(workload.source),
                "processors": f"{workload.procs:,}",
                "jobs": f"{len(workload):,}",
                "dropped": "; ".join(dropped),
                "then": "; ".join(workload.history),
            }
        )
    return pd.DataFrame(rows, columns=["log", "file", "processors", "jobs", "dropped", "then"]).set_index("log")


def _origin(source):
    return f"model: {source['model']}" if "model" in source else source.get("file", "none")


def cells_table(cells):
    """Lay out judged cells for reading: what each is a number of, published, and ours under its first rule."""
    rows = []
    for cell in cells:
        ours = next(iter(cell["readings"].values()))
        row = cell["of"] | {"published": cell["published"], "ours": ours["ours"], "off by": f"{ours['deviation']:+.1%}"}
        rows.append(row | {"verdict": ours["verdict"], "note": cell.get("note", "")})
    return pd.DataFrame(rows)


def print_claims(claims):
    """Print verdicts on claims, one after another, wrapped: first the claim, then a line each reading."""
    for found in claims:
        print(f"{found['id']}  {_wrapped(_verdict(found) + ': ' + found['claim'])}")
        for line in found["evidence"].split("\n"):
            print(f"       {_wrapped(line, '  ')}")


def _verdict(found):
    """The verdict by the text, how sure it is, and those of other readings."""
    sure = "" if found.get("sure") is None else f", sure {found['sure']:.0%}"
    others = {"likely": "likely program", "restored": "restored log", "printed": "as printed"}
    readings = found.get("readings", {})
    said = [f"{name}: {readings[key]['verdict']}" for key, name in others.items() if key in readings]
    return f"{found['verdict'].upper()}{sure}" + (f" ({'; '.join(said)})" if said else "")


def _wrapped(text, indent=""):
    return "\n       ".join(textwrap.wrap(text, 110, initial_indent=indent, subsequent_indent="  "))
