"""`python -m simlib.papers` prints what the exhibits in figures/ and build/synthetic/ say, from their records."""

import json

from .. import paths


def main():
    """Print each exhibit's logs and the verdicts on its claims."""
    records = [*sorted((paths.ROOT / "figures").glob("*.json"))]
    records += sorted((paths.ROOT / "build" / "synthetic").glob("*.json"))
    for path in records:
        record = json.loads(path.read_text(encoding="utf-8"))
        mark = "  *** SYNTHETIC DATA: says nothing about the paper ***" if record["synthetic"] else ""
        print(f"\n{path.with_suffix('').relative_to(paths.ROOT)}{mark}")
        print(f"  from {', '.join(log['file'] for log in record['logs'])}")
        for claim in record["verdicts"].get("claims", []):
            print(f"  {claim['id']} {claim['verdict']}: {claim['claim']}")


if __name__ == "__main__":
    main()
