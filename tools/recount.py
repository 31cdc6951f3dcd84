"""Recount the study's headline, its controls and the range of its verdicts, from the records and the tables alone.

Nothing of simlib is used, so that a fault there shows: `python tools/recount.py` prints what it finds beside what the
report states, and ends with 1 where they differ.
"""

import csv
import json
import math
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
READINGS = {
    "calendar": ["calendar", "text"],
    "text": ["text"],
    "likely": ["likely", "text"],
    "restored": ["restored", "likely", "text"],
}
JUDGED = ("inside", "close", "off")


def rows(name):
    with open(ROOT / "data" / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def record(exhibit):
    return json.loads((ROOT / "figures" / exhibit / "record.json").read_text(encoding="utf-8"))["verdicts"]


def slack(text):
    """Half a unit of the last printed digit."""
    return 0.5000001 * 10.0 ** -len(text.partition(".")[2])


def as_printed():
    """The texts of all means in Tables 1, 3 and 4 that are printed there first, by what they are of."""
    texts = {}
    for table, of_column in (("table1", "month"), ("table3", "estimates"), ("table4", "quantity")):
        for row in rows(f"published/mualem2001_{table}"):
            if row["metric"] in ("response_s", "bounded_slowdown") and row.get("quantity") != "original":
                texts[table, row["log"], row[of_column], row["policy"], row["metric"]] = row["value"]
    return texts


def bands():
    """Our readings of these means by word, from the records."""
    found = {}
    for table, of_column in (("table1", "month"), ("table3", "estimates"), ("table4", "quantity")):
        for cell in record(f"mualem2001/{table}")["cells"]:
            of = cell["of"]
            if cell["exhibit"] != f"mualem2001_{table}":
                continue
            by_word = {word_of(one): one for one in cell["readings"]}
            found[table, of["log"], of[of_column], of["policy"], of["metric"]] = by_word
    return found


def word_of(one):
    """What a summary calls a policy and a log: what is read differently stands behind a comma in their names."""
    policy, log = (one[name].partition(", ")[2] for name in ("policy", "log"))
    words = {"": "likely" if policy else "text", "restored": "restored" if policy else ""}
    return (words | {"calendar": "" if policy else "calendar"})[log]


def reading(readings, step):
    """The first of the step's readings that is judged."""
    return next((readings[rule] for rule in READINGS[step] if readings.get(rule, {}).get("verdict") in JUDGED), None)


def inside(value, text, one):
    return one["low"] - slack(text) <= value <= one["high"] + slack(text)


def group(place, readings):
    if place[0] != "table1":
        return "nothing was chosen by"
    of_sp2 = place[1] in ("CTC", "KTH", "SDSC") and reading(readings, "text")
    return "programs were chosen by" if of_sp2 else "jobs and estimates were chosen by"


def headline():
    """By group and step how many means are inside, of how many; and by group and control which share is in the last."""
    texts, ours = as_printed(), bands()
    counts, controls = {}, {}
    for place, text in texts.items():
        readings = ours[place]
        of = group(place, readings)
        for step in READINGS:
            one = reading(readings, step)
            count = counts.setdefault((of, step), [0, 0])
            count[1] += 1
            count[0] += bool(one) and inside(float(text), text, one)
        if one:
            table, trace, column, scheduler, metric = place
            other = table, trace, column, {"EASY": "conservative", "conservative": "EASY"}[scheduler], metric
            wrong = {"as printed": float(text)}
            wrong |= {f"{by:+d}%": float(text) * (1 + by / 100) for by in (-20, -10, -5, 5, 10, 20)}
            if other in texts and reading(ours[other], "restored"):
                wrong["the other policy's"] = float(texts[other])
            if table == "table1":
                year, month = map(int, column.split("-"))
                following = f"{year + month // 12}-{month % 12 + 1:02d}"
                after = table, trace, following, scheduler, metric
                if after in texts and reading(ours[after], "restored") and group(after, ours[after]) == of:
                    wrong["the next month's"] = float(texts[after])
            for name, value in wrong.items():
                count = controls.setdefault((of, name), [0, 0])
                count[0] += inside(value, text, one)
                count[1] += 1
    return counts, controls


def bounds_of(row):
    """The bounds of a criterion."""
    return tuple(float(row[name]) if row[name] else None for name in ("above", "below"))


def part_verdict(part, bounds):
    above, below = bounds
    if part["low"] is None:
        return "open"
    if (above is None or part["low"] > above) and (below is None or part["high"] < below):
        return "shown"
    beyond = (above is not None and part["high"] < above) or (below is not None and part["low"] > below)
    return "contradicted" if beyond else "open"


def word(parts, criteria, other=None):
    """One word for a claim's measurements; `other` are bounds of a part in place of its own."""
    of_part, known = {}, {part["part"] for part in parts if part["value"] is not None}
    for part in parts:
        if part["value"] is not None or part["part"] not in known:
            bounds = (other or {}).get(part["part"]) or bounds_of(criteria[part["part"]])
            of_part.setdefault(part["part"], []).append(part_verdict(part, bounds))

    def shares(names):
        each = [{kind: of_part[name].count(kind) / len(of_part[name]) for kind in KINDS} for name in names]
        return {kind: math.fsum(one[kind] for one in each) / len(each) for kind in KINDS}

    heads = [name for name in of_part if criteria[name]["weight"] == "headline"]
    groups = [shares(names) for names in (heads, [name for name in of_part if name not in heads]) if names]
    mean = {kind: math.fsum(one[kind] for one in groups) / len(groups) for kind in KINDS}
    nearly = 1e-9
    for one in [mean, *([shares(heads)] if heads else [])]:
        if one["contradicted"] >= 2 / 3 - nearly and one["shown"] <= 1 / 6 + nearly:
            return "not reproduced"
    if mean["shown"] >= 2 / 3 - nearly and mean["contradicted"] <= 1 / 6 + nearly:
        return "reproduced"
    return "partly reproduced" if min(mean["shown"], mean["contradicted"]) > 1 / 6 + nearly else "inconclusive"


KINDS = ("shown", "open", "contradicted")


def verdicts():
    """The verdict on each claim, and those whose verdict does not turn where their record says so."""
    criteria, wrong = {}, []
    for row in rows("claims/criteria"):
        criteria.setdefault(row["claim"], {})[row["part"]] = row
    found = {row["id"]: "cannot be tested" for row in rows("claims/claims")}
    for path in sorted((ROOT / "figures").glob("*/*/record.json")):
        for claim in json.loads(path.read_text(encoding="utf-8"))["verdicts"]["claims"]:
            parts = claim.get("readings", {}).get("text", {}).get("parts")
            if parts:
                found[claim["id"]] = word(parts, criteria[claim["id"]])
                wrong += turned(claim, parts, criteria[claim["id"]])
    return found, wrong


def turned(claim, parts, criteria):
    """What is wrong with where a verdict turns: just before it is to be as it is, and another one just beyond."""
    wrong = []
    for way, place in claim["turns"].items():
        name, sign = claim["deciding"]["part"], 1 if way == "stricter" else -1
        words = {}
        for side in (-1, 1):
            shift = 2e-4 * side * sign  # more than what is rounded in a record
            above, below = (
                None if place[end] is None else place[end] + of * shift for end, of in (("above", 1), ("below", -1))
            )
            words[side] = word(parts, criteria, {name: (above, below)})
        if words[-1] != claim["verdict"] or words[1] == claim["verdict"]:
            wrong.append(
                f"{claim['id']}, {way}: the record has a turn at {place}, recounted {words[-1]} and {words[1]}"
            )
    return wrong


def stated():
    """What the report says: counts by group and step, controls, verdicts."""
    counts, controls, steps = {}, {}, list(READINGS)
    with open(ROOT / "figures" / "printed-numbers/numbers.csv", encoding="utf-8", newline="") as file:
        for place, row in enumerate(csv.DictReader(file)):
            number = int(row["inside"]) + int(row["inside, wide band"]), int(row["numbers"])
            counts[row["group"], steps[place % len(steps)]] = number
    with open(ROOT / "figures" / "printed-numbers/controls.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            controls |= {(row["group"], name): text for name, text in row.items() if name != "group" and text}
    known = {}
    for path in sorted((ROOT / "figures").glob("*/*/record.json")):
        claims = json.loads(path.read_text(encoding="utf-8"))["verdicts"]["claims"]
        for claim in claims:
            known[claim["id"]] = claim["verdict"]
    return counts, controls, known


def main():
    counts, controls = headline()
    words, wrong = verdicts()
    of_report, of_controls, of_records = stated()
    for (of, step), (ins, number) in counts.items():
        print(f"{of}, {step}: {ins} of {number} inside")
        if of_report[of, step] != (ins, number):
            wrong.append(f"{of}, {step}: the report has {of_report[of, step]}, recounted {ins} of {number}")
    for (of, name), (ins, number) in controls.items():
        print(f"{of}, {name}: {ins} of {number}, {ins / number:.1%}")
        if abs(float(of_controls.get((of, name), "nan")) - ins / number) > 1e-4:
            wrong.append(f"{of}, {name}: the report has {of_controls.get((of, name))}, recounted {ins / number:.4f}")
    print(dict(Counter(words.values())))
    for id, verdict in words.items():
        if of_records.get(id, "cannot be tested") != verdict:
            wrong.append(f"{id}: the record has {of_records[id]!r}, recounted {verdict!r}")
    print("\n".join(wrong) or "All of it as the report has it.")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
