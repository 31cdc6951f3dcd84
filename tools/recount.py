"""Recount the study's headline, its controls and the range of its verdicts, from the records and the tables alone.

Nothing of simlib is used, so that a fault there shows: `python tools/recount.py` prints what it finds beside what the
report states, and ends with 1 where they differ.
"""

import csv
import json
import math
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
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
    """Our readings of these means by program and what is done to the log, from the records."""
    found = {}
    for table, of_column in (("table1", "month"), ("table3", "estimates"), ("table4", "quantity")):
        for cell in record(f"mualem2001/{table}")["cells"]:
            of = cell["of"]
            if cell["exhibit"] != f"mualem2001_{table}":
                continue
            by_name = {
                tuple(one[name].partition(", ")[2] for name in ("policy", "log")): one for one in cell["readings"]
            }
            found[table, of["log"], of[of_column], of["policy"], of["metric"]] = by_name
    return found


LIKELY = {"EASY": "extra shared", "conservative": "by start"}
"""What the programs of the authors most likely did differently than the text has it."""

LOGS = {"calendar": "calendar's months", "": "public log", "restored": "lost jobs put back"}


def reading(readings, program, log):
    """What is judged by a program on a log that this is done to, or else on the public one."""
    of_log = (readings.get((program, name), {}) for name in (log, ""))
    return next((one for one in of_log if one.get("verdict") in JUDGED), None)


def inside(value, text, one):
    return one["low"] - slack(text) <= value <= one["high"] + slack(text)


TABLES = "Tables 3 and 4"


def groups(place, readings):
    """The groups that a mean belongs to: that of all in Tables 3 and 4, and the one that says what was chosen by it."""
    table, log, column, *_ = place
    if table == "table1":
        of_sp2 = log in ("CTC", "KTH", "SDSC") and reading(readings, "", "")
        return ["programs were chosen by" if of_sp2 else "jobs and estimates were chosen by"]
    if column == "original":
        return [TABLES, "programs were chosen by their months"]
    return [TABLES, "a lost job was chosen by" if log == "CTC" else "nothing was chosen by"]


def headline():
    """By group, policy, program and logs how many means are inside, of how many; and so by group and control."""
    texts, ours = as_printed(), bands()
    counts, controls = {}, {}
    there = {(of, place[3], *name) for place in texts for of in groups(place, ours[place]) for name in ours[place]}
    for place, text in texts.items():
        readings, policy = ours[place], place[3]
        for of in groups(place, readings):
            for program in ("", LIKELY[policy]):
                for log, name in LOGS.items():
                    if log and (of, policy, program, log) not in there:
                        continue
                    one = reading(readings, program, log)
                    count = counts.setdefault((of, policy, program or "by the text", name), [0, 0])
                    count[1] += 1
                    count[0] += bool(one) and inside(float(text), text, one)
        one = reading(readings, LIKELY[policy], "restored")
        if one:
            for of in groups(place, readings):
                for name, value in wrong_numbers(place, text, texts, ours).items():
                    count = controls.setdefault((of, name), [0, 0])
                    count[0] += inside(value, text, one)
                    count[1] += 1
    return counts, controls


def wrong_numbers(place, text, texts, ours):
    """The printed number, and wrong ones in its place."""
    table, log, column, policy, metric = place
    wrong = {"as printed": float(text)}
    wrong |= {f"{by:+d}%": float(text) * (1 + by / 100) for by in (-20, -10, -5, -2, -1, 1, 2, 5, 10, 20)}

    def in_place(other):
        """Another mean of the same group, if it is judged."""
        if other not in texts or not reading(ours[other], LIKELY[other[3]], "restored"):
            return None
        return texts[other] if groups(other, ours[other]) == groups(place, ours[place]) else None

    other = in_place((table, log, column, {"EASY": "conservative", "conservative": "EASY"}[policy], metric))
    if other is not None:
        wrong["the other policy's"] = float(other)
    if table == "table1":
        year, month = map(int, column.split("-"))
        after = in_place((table, log, f"{year + month // 12}-{month % 12 + 1:02d}", policy, metric))
        if after is not None:
            wrong["the next month's"] = float(after)
    return wrong


def rows_inside(texts, ours):
    """Of the rows of Tables 3 and 4, a log with its estimates, how many have all their means inside."""
    found = {}
    for place, text in texts.items():
        if place[0] != "table1":
            one = reading(ours[place], LIKELY[place[3]], "restored")
            found.setdefault(place[:3], []).append(bool(one) and inside(float(text), text, one))
    return sum(map(all, found.values())), len(found)


def bounds_of(row):
    """The bounds of a criterion."""
    return tuple(float(row[name]) if row[name] else None for name in ("above", "below"))


def part_verdict(part, bounds):
    above, below = bounds
    if part["low"] is None:
        return "open"
    ends = [part[end] for end in ("low", "value", "high")]  # what the log as it is gives may lie outside
    if (above is None or min(ends) > above) and (below is None or max(ends) < below):
        return "shown"
    beyond = (above is not None and max(ends) < above) or (below is not None and min(ends) > below)
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


BOUNDS = "above", "below", "form"
"""What is the same of parts whose bounds move together."""

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
        decides, sign = criteria[claim["deciding"]["part"]], 1 if way == "stricter" else -1
        names = [name for name, row in criteria.items() if all(row[of] == decides[of] for of in BOUNDS)]
        words = {}
        for side in (-1, 1):
            shift = 1.1e-4 * side * sign  # more than what is rounded in a record, of bound and of end
            above, below = (
                None if place[end] is None else place[end] + of * shift for end, of in (("above", 1), ("below", -1))
            )
            words[side] = word(parts, criteria, dict.fromkeys(names, (above, below)))
        if words[-1] != claim["verdict"] or words[1] == claim["verdict"]:
            wrong.append(
                f"{claim['id']}, {way}: the record has a turn at {place}, recounted {words[-1]} and {words[1]}"
            )
    return wrong


def stated():
    """What the report says: counts by group, policy, program and logs; controls; verdicts."""
    counts, controls = {}, {}
    with open(ROOT / "figures" / "printed-numbers/numbers.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            number = int(row["inside"]) + int(row["inside, wide band"]), int(row["numbers"])
            counts[row["group"], row["policy"], row["program"], row["logs"]] = number
    with open(ROOT / "figures" / "printed-numbers/controls.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            controls |= {(row["group"], name): text for name, text in row.items() if name != "group" and text}
    known = {}
    for path in sorted((ROOT / "figures").glob("*/*/record.json")):
        claims = json.loads(path.read_text(encoding="utf-8"))["verdicts"]["claims"]
        for claim in claims:
            known[claim["id"]] = claim["verdict"]
    return counts, controls, known


def tsafrir():
    """Numbers of Tables 2, 3, 5 and 6 on three logs, free ones, changes, and on BLUE: inside, of how many, larger."""
    counts = {of: [0, 0, 0] for of in ("three", "free", "changes", "blue")}
    seen, texts = set(), {}
    for path in sorted((ROOT / "data" / "published").glob("tsafrir2005_table*.csv")):
        for row in rows(f"published/{path.stem}"):
            of = [text for name, text in row.items() if name in ("log", "policy", "metric", "estimates", "quantity")]
            texts[path.stem, *sorted(of)] = row["value"]
    for path in sorted((ROOT / "figures" / "tsafrir2005").glob("*/record.json")):
        for cell in record(f"tsafrir2005/{path.parent.name}")["cells"]:
            table, levels = cell["exhibit"].removeprefix("tsafrir2005_"), tuple(cell["of"].values())
            changes = table.endswith("_changes")
            if not changes and table not in ("table2", "table3", "table5", "table6"):
                continue
            blue = "SDSC-BLUE" in levels
            place = table if changes or table in ("table5", "table6") else "means", *levels
            if (changes and blue) or place in seen:
                continue
            seen.add(place)
            readings = {word: one for one in cell["readings"] for word in [one["policy"].partition(", ")[2]]}
            judged = [one for name, one in sorted(readings.items(), reverse=True) if one["verdict"] in JUDGED]
            text = texts[cell["exhibit"], *sorted(levels)]
            of = ["changes" if changes else "blue" if blue else "three"]
            if of == ["three"] and table != "table5" and not any(readings):
                of.append("free")
            for count in (counts[one] for one in of):
                count[1] += 1
                if judged:
                    count[0] += inside(float(text), text, judged[0])
                    count[2] += inside(1.1 * float(text), text, judged[0])
    return counts


def readme(counts, tef, words):
    """The numbers that the README is to state of Mu'alem and Feitelson's tables, of all claims, and of Tsafrir's."""
    free = {policy: counts["nothing was chosen by", policy, LIKELY[policy], "public log"] for policy in LIKELY}
    by_text = [counts["nothing was chosen by", policy, "by the text", "public log"] for policy in LIKELY]
    last = [counts[TABLES, policy, LIKELY[policy], "lost jobs put back"] for policy in LIKELY]
    means, likely = sum(of for _, of in by_text), sum(ins for ins, _ in free.values())
    first = [3, 4, means, sum(ins for ins, _ in by_text), likely, *free["EASY"], *free["conservative"]]
    first += [round(0.95 * means), sum(ins for ins, _ in last), sum(of for _, of in last)]
    kinds = Counter(words.values())
    order = "reproduced", "partly reproduced", "not reproduced", "inconclusive", "cannot be tested"
    sixth = [2, 3, 5, 6, *tef["three"], 10, *tef["free"], *tef["changes"], *tef["blue"][:2]]
    refits = [words[row["id"]] for row in rows("claims/claims") if row["rests_on"]]
    second = [len(words), *(kinds[kind] for kind in order), len(refits), refits.count("reproduced")]
    return {1: first, 2: second, 6: sixth}


def in_readme():
    """The numbers in the README's numbered findings."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    items = re.findall(r"(?ms)^(\d)\. \*\*(.*?)(?=^\d\. \*\*|\n\n)", text)
    return {int(number): [int(one) for one in re.findall(r"(?<![\w.])\d+(?![\w.]*\d)", item)] for number, item in items}


def main():
    counts, controls = headline()
    words, wrong = verdicts()
    of_report, of_controls, of_records = stated()
    for place, (ins, number) in counts.items():
        print(f"{', '.join(place)}: {ins} of {number} inside")
        if of_report.get(place) != (ins, number):
            wrong.append(f"{', '.join(place)}: the report has {of_report.get(place)}, recounted {ins} of {number}")
    for (of, name), (ins, number) in controls.items():
        print(f"{of}, {name}: {ins} of {number}, {ins / number:.1%}")
        if abs(float(of_controls.get((of, name), "nan")) - ins / number) > 1e-4:
            wrong.append(f"{of}, {name}: the report has {of_controls.get((of, name))}, recounted {ins / number:.4f}")
    whole, tef = rows_inside(as_printed(), bands()), tsafrir()
    print("Rows of Tables 3 and 4 with all their means inside: {} of {}".format(*whole))
    for of, (ins, number, larger) in tef.items():
        print(f"Tsafrir et al., {of}: {ins} of {number} inside, {larger} if 10 % larger")
    print(dict(Counter(words.values())))
    for id, verdict in words.items():
        if of_records.get(id, "cannot be tested") != verdict:
            wrong.append(f"{id}: the record has {of_records[id]!r}, recounted {verdict!r}")
    said = in_readme()
    for item, numbers in readme(counts, tef, words).items():
        if said.get(item) != numbers:
            wrong.append(f"README, finding {item}: found the numbers {said.get(item)}, recounted {numbers}")
    print("\n".join(wrong) or "All of it as the report has it.")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
