"""What the records of the exhibits say together: a row a notebook, a verdict on each claim. The scoreboard and the
site are made of it.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import groupby

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from simlib._util import paths
from simlib.logs.archive import NOT_VERIFIED

from . import claims, counting, records
from .claims import HOLDS, VERDICTS
from .notebooks import notebook
from .tang2013 import STAND_INS, machines
from .verdicts import ABSENT, INFERRED, INSIDE, LIKELY, OFF, OTHER_LOG, RESTORED, TEXT, tally

WRITTEN = "<!-- Written by `python -m simlib_study report` from the records in figures/ -->\n"
"""Stands before findings."""

UNTIL = "<!-- Until here -->"
"""Stands behind them."""

FINDINGS = {"README.md": "headlines.md", "docs/background/findings.md": "findings.md"}
"""The files that state findings, and the templates of what they state."""


SIMULATED = dict(zip(("test", "settings", "programs"), counting.SIMULATED, strict=True))
"""What texts call the groups of simulated means."""


@dataclass(frozen=True)
class Outcome:
    """What came of one notebook: an exhibit of a paper, or a group of them."""

    paper: str
    notebook: str
    title: str
    folder: object
    records: list

    @property
    def source(self):
        """The notebook itself."""
        return notebook(f"{self.paper}/{self.notebook}")

    @property
    def name(self):
        """The stem of the notebook's files, such as "mualem2001_table1"."""
        return f"{self.paper}_{self.notebook}"

    @property
    def label(self):
        """What the paper calls it, such as "Table 1"."""
        return self.title.partition(": ")[0]

    @property
    def about(self):
        """The rest of the title."""
        return self.title.partition(": ")[2]

    @property
    def synthetic(self):
        """Whether it was made from stand-ins for logs."""
        return any(record["synthetic"] for record in self.records)

    @property
    def pictures(self):
        """The names of its pictures, the main one first."""
        names = [record["exhibit"] for record in self.records]
        return [f"{name}.png" for name in names if (self.folder / f"{name}.png").exists()]

    @property
    def sources(self):
        """The log files, with a mark where they are not verified, or else models, that it was made from."""
        files = []
        for log in (log for record in self.records for log in record["logs"]):
            restored = records.BACK if log["name"].endswith(records.BACK) else ""
            not_verified = f" ({NOT_VERIFIED})" if log["verified"] is False else ""
            files.append((log["file"] or log["name"]) + restored + not_verified)
        models = [model["model"] for record in self.records for model in record["models"]]
        return list(dict.fromkeys(files or models))

    @property
    def cells(self):
        """The judged cells of all its records."""
        return [cell for record in self.records for cell in record["verdicts"]["cells"]]

    @property
    def claims(self):
        """The decided claims of all its records, with their verdicts as they are stated."""
        decided = [claim for record in self.records for claim in record["verdicts"]["claims"]]
        return [claim | {"verdict": claims.stated(claim)} for claim in decided]


def outcomes(folder):
    """What came of the exhibits whose records lie in a folder, in the papers' order."""
    made = []
    stems = sorted(folder.glob("*.json"), key=lambda path: path.stem.split("_"))  # "-" would come before "_"
    for (paper, name), group in groupby(stems, key=lambda path: path.stem.split("_")[:2]):
        if (source := notebook(f"{paper}/{name}")) is None:
            path = paths.ROOT / "notebooks" / paper / f"{name}.ipynb"
            raise ValueError(f"{folder}/{paper}_{name}*.json: found no notebook {path} that makes it; remove its files")
        made.append(Outcome(paper, name, source.title, folder, [records.read(path) for path in group]))
    return in_order(made)


def in_order(found):
    """Outcomes in the order of the papers and of what these have in them."""
    return sorted(found, key=lambda one: one.source.place)


# Counts


def unjudged(cells):
    """Count the cells that are not judged by the text, by the reason."""
    verdicts = [next(iter(cell["readings"].values()))["verdict"] for cell in cells]
    return {reason: verdicts.count(reason) for reason in (OTHER_LOG, ABSENT, INFERRED)}


def by_verdict(claims):
    """Count the claims of each verdict, in their order: those on claims of a paper, then any on our own findings."""
    counts = Counter(claim["verdict"] for claim in claims)
    return {verdict: counts[verdict] for verdict in VERDICTS} | counts


def decided(found):
    """Every claim of the papers, and every finding of our own, that these exhibits decide, with its verdict."""
    by_id = {id: claim | {"exhibit": None} for id, claim in claims.untestable().items()}
    by_id |= {claim["id"]: claim | {"exhibit": one} for one in found for claim in one.claims}
    rows = claims.claims() | claims.findings()
    return [{"paper": row["paper"], "of": row["exhibit"]} | by_id[id] for id, row in rows.items() if id in by_id]


def numbers(found):
    """Collect every number that texts about the study state, from the records."""
    verdicts = {claim["id"]: claim for claim in decided(found)}
    papers = by_verdict([claim for id, claim in verdicts.items() if not id.startswith("OWN")])
    readings = [claim.get("readings", {}) for claim in verdicts.values()]
    return {
        "papers": papers,
        "all": sum(papers.values()),
        "own": {id: claim["numbers"] for id, claim in verdicts.items() if "numbers" in claim},
        "verdicts": verdicts,
        "gains": _gains(found[0].folder),
        "as_they_are": Counter(claim["bounds"]["as they are"] for claim in verdicts.values() if "bounds" in claim),
        "printed": by_verdict([each[claims.PRINTED] for each in readings if claims.PRINTED in each]),
        "absent": unjudged([cell for one in found for cell in one.cells])[ABSENT],
        "counted": counted_means(found),
        "weighted": _stated(verdicts["TG-46"]),
        "regular": _stated(verdicts["TG-15"], "size of p85"),
        "tsafrir": tsafrir(found),
    }


def missing(found):
    """The findings whose numbers texts state, but that no record decides."""
    return sorted(claims.findings().keys() - {claim["id"] for claim in decided(found) if "numbers" in claim})


def stated(found, template):
    """Write what the study found, every number from a record."""
    if lacking := missing(found):
        raise ValueError(f"{template}: found no record that decides {', '.join(lacking)}, whose numbers it states")
    return templates().get_template(template).render(numbers(found))


def templates(**options):
    """Find the templates of texts and pages; a number that is not there is an error."""
    common = {"loader": PackageLoader("simlib_study"), "undefined": StrictUndefined}
    return Environment(**(common | {"trim_blocks": True, "lstrip_blocks": True} | options))


def counted_means(found):
    """How many means of simulated schedules come out, and how many wrong ones would, for texts: dicts by group."""
    table = counting.numbers(found)
    if not len(table):
        return {}
    steps, controls = counting.steps(table), counting.controls(table)
    counts = pd.DataFrame({"inside": steps[[INSIDE, counting.WIDE]].sum(axis=1)})
    counts["of"] = steps.numbers - steps[counting.UNJUDGED]
    counted = {}
    for name, group in SIMULATED.items():
        last = steps.loc[group].iloc[-1]
        counted[name] = counts.loc[group].set_axis(list(counting.STEPS)).to_dict()
        counted[name] |= {"numbers": last.numbers, "wide": last[counting.WIDE], "off": last[OFF]}
        counted[name]["controls"] = controls.loc[group].to_dict()
    return counted


def _stated(claim, part=""):
    """What became of a gain that Tang prints, part of a claim: as printed, ours, and on how many machines it is met."""
    text, printed = (claim["readings"][name]["parts"] for name in (TEXT, claims.PRINTED))
    ours, (in_print, *_) = ([one for one in parts if one["part"].startswith(part)] for parts in (text, printed))
    met = sum(one["verdict"] == HOLDS for one in ours)
    return {"printed": in_print["value"], "ours": [one["value"] for one in ours], "met": met}


def tsafrir(found):
    """Count the numbers of Tsafrir et al. in our bands, on BLUE and on other logs; one in two tables counts once."""
    cells = _cells(found, "tsafrir2005_tables5-6")
    of_means = _cells(found, "tsafrir2005_tables2-3")[::-1]
    of_means = {tuple(one["of"].values()): one for one in of_means}  # the one with most decimals, which comes first
    not_there = {"predictions", "accuracy_pct"}  # of Figure 5
    cells += [one for of, one in of_means.items() if not not_there & set(of)]
    counts = {}
    for name, blue in (("three", False), ("blue", True)):
        group = [one for one in cells if (one["of"]["log"] == "SDSC-BLUE") == blue]
        counts[name] = {"numbers": len(group), "inside": tally(group, LIKELY, TEXT)[INSIDE]}
    return counts


def _gains(folder):
    """Tang's average gains by selective adjustment at the 85th percentile, by metric: `printed`, and by machine."""
    rows = pd.read_csv(folder / "tang2013_figures14-17.csv").query("case == 'selective p85' and published.notna()")
    here, gains = machines([name for name in STAND_INS if name in set(rows.log)]), {}
    for metric in ("wait", "slowdown"):
        of = rows[rows.metric == metric]
        gains[metric] = {
            "printed": list(of.published),
            "ours": {name: list(of.ours[of.log == name]) for name in here},
        }
    return gains


def _cells(found, name):
    """The judged cells of an exhibit by its name."""
    return [cell for one in found if one.name == name for cell in one.cells]


def with_findings(text, found, template, name="text"):
    """Put what the study found, from `stated`, in its place in the text of a file, between two comments."""
    before, begin, rest = text.partition(WRITTEN)
    _, end, after = rest.partition(UNTIL)
    for mark, there in ((WRITTEN, begin), (UNTIL, end)):
        if not there:
            raise ValueError(f"{name}: found no {mark.strip()!r}, expected the comment beside the findings")
    return f"{before}{begin}\n{stated(found, template)}\n{end}{after}"


def total(found):
    """How many numbers lie in our bands and how many claims hold, as a list of sentences."""
    sentences = []
    for name, of in counted_means(found).items():
        counts = [f"{of['inside'][step]} of {of['of'][step]} by {step}" for step in (TEXT, LIKELY, RESTORED)]
        sentences.append(f"{counting.GROUPS[SIMULATED[name]]}, means in our bands: {', '.join(counts)}.")
    rows = decided(found)
    own = [claim for claim in rows if claim["paper"] == "own"]
    papers = [claim for claim in rows if claim["paper"] != "own"]
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in by_verdict(papers).items())
    sentences.append(f"{len(papers)} claims of the papers: {verdicts}.")
    held = sum(claim["verdict"] == HOLDS for claim in own)
    return sentences + ([f"{len(own)} findings of this study: {held} hold."] if own else [])
