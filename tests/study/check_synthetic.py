"""Check what a study without logs left: every exhibit of a log, marked as synthetic, and no verdict on a claim.

    python check_synthetic.py build/synthetic

It prints what is wrong, a line each; then the status is 1.
"""

import json
import sys
from pathlib import Path

from simlib._util import paths
from simlib_study import claims
from simlib_study.notebooks import frozen

OF_NO_LOG = {"MF-03", "MF-15", "MF-17"}
"""Claims on small examples and on models, in notebooks that have logs too."""


def complaints(folder, exhibits=None):
    """Say what is wrong with the records in a folder; there has to be one of each of these, by default of all.

    All are those that rest on logs, but for what is frozen, which nobody makes.
    """
    found = {record["exhibit"]: record for record in _records(folder)}
    of_logs = {record["exhibit"] for record in _records(paths.ROOT / "figures") if record["logs"]}
    expected = of_logs - frozen()["notebooks"].keys() if exhibits is None else exhibits
    wrong = [f"{name}: found no record" for name in sorted(expected) if name not in found]
    for name, record in found.items():
        if record["logs"] and not record["synthetic"]:
            wrong.append(f"{name}: rests on logs, and is not marked as synthetic")
        told = {claim["id"]: claim["verdict"] for claim in record["verdicts"]["claims"]} if record["synthetic"] else {}
        for id, verdict in told.items():
            if verdict != claims.UNTESTED and id not in OF_NO_LOG:
                wrong.append(f"{name}: {id}: found {verdict}, expected {claims.UNTESTED}")
    return wrong


def _records(folder):
    return [json.loads(path.read_text(encoding="utf-8")) for path in Path(folder).rglob("record.json")]


if __name__ == "__main__":
    wrong = complaints(sys.argv[1])
    print("\n".join(wrong or ["every exhibit was made without logs, and marked as synthetic"]))
    sys.exit(bool(wrong))
