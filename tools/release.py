"""Go through the checklist of a release: `make release`.

First what seconds decide: the version, its part of the changelog, the name on PyPI, the files. Then what `.ci/run`
runs, which takes hours; `--quick` leaves it out. What only its owner can decide, such as an address, is listed as open.
"""

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from simlib._util import paths
from simlib_study import checking

PARTS = "tests browsers reproduce thorough wheel clone frozen"
"""Of `.ci/run`: all that a release must pass."""

NOT_SET = "The simlib authors"
"""Who is named as author until somebody gives the names."""


def git(*command: str) -> str:
    """What a command of git prints."""
    return subprocess.run(["git", *command], cwd=paths.ROOT, check=True, capture_output=True, text=True).stdout.strip()


def project() -> dict:
    """Read what pyproject.toml says of the project."""
    return tomllib.loads((paths.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def committed() -> str:
    """Is everything committed?"""
    changed = git("status", "--porcelain")
    return f"found changes that are not committed: {changed.splitlines()[0].strip()}" if changed else ""


def one_version() -> str:
    """Do all files name the version that is in pyproject.toml, and is it not released?"""
    version = project()["version"]
    texts = {
        "simlib/__init__.py": r'^__version__ = "(.*)"$',
        "CITATION.cff": r"^version: (.*)$",
        "codemeta.json": r'^ *"version": "(.*)",$',
    }
    for name, pattern in texts.items():
        found = re.findall(pattern, (paths.ROOT / name).read_text(encoding="utf-8"), re.M)
        if found != [version]:
            return f"{name}: found version {', '.join(found) or 'none'}, expected {version} as in pyproject.toml"
    return f"found the tag v{version}: this version is released" if f"v{version}" in git("tag").split() else ""


def changelog() -> str:
    """Has the changelog a part for the version, which names each exhibit whose numbers changed since the last one?"""
    version = project()["version"]
    part = section((paths.ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if not part:
        return f"CHANGELOG.md: found no line '## {version}, DATE' with what changed for users"
    if "**Published numbers**" not in part:
        return f"CHANGELOG.md, {version}: found no entry **Published numbers**, expected which changed, or 'none'"
    missing = [exhibit for exhibit in changed_since_last() if exhibit not in part]
    return (
        f"CHANGELOG.md, {version}: numbers of {', '.join(missing)} changed, and it does not say so" if missing else ""
    )


def section(text: str, version: str) -> str:
    """The part of a changelog about one version; "" if it has none."""
    found = re.search(rf"^## {re.escape(version)}, \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    return found[1] if found else ""


def changed_since_last() -> list[str]:
    """The exhibits whose numbers differ from those of the last tag; none if there is no tag."""
    tags = git("tag", "--sort=-version:refname", "--list", "v*").split()
    if not tags:
        return []
    lines, _ = checking.check(tags[0])
    exhibits = (line.split(": ")[0] for line in lines if ".csv" in line)
    return sorted({exhibit for exhibit in exhibits if "/" in exhibit})


def name_is_free() -> str:
    """Is nothing on PyPI called as this project is, but what its owner put there?"""
    name = project()["name"]
    with tempfile.TemporaryDirectory() as folder:
        asked = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, name]
        got = subprocess.run(asked, capture_output=True, text=True)
        files = [path.name for path in Path(folder).iterdir()]
    if files and "Repository" not in project().get("urls", {}):
        return f"found {files[0]} on PyPI: somebody has taken the name {name}"
    if not files and "No matching distribution" not in got.stderr:
        return f"PyPI was not reached: {got.stderr.strip().splitlines()[-1]}"
    return ""


def wheel() -> str:
    """Can the wheel be built, into build/release/?"""
    folder = paths.ROOT / "build" / "release"
    asked = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, paths.ROOT]
    made = subprocess.run(asked, capture_output=True, text=True)
    return made.stderr.strip() if made.returncode else ""


QUICK = (committed, one_version, changelog, name_is_free, wheel)


def undecided() -> Iterator[str]:
    """What a release lacks that no machine can give."""
    codemeta = json.loads((paths.ROOT / "codemeta.json").read_text(encoding="utf-8"))
    if [author["name"] for author in codemeta["author"]] == [NOT_SET]:
        yield "authors: CITATION.cff and codemeta.json name nobody"
    if "Repository" not in project().get("urls", {}):
        yield "address of the code: pyproject.toml has no Repository below [project.urls]"


def main(arguments: list[str]) -> int:
    """Print a line for each point of the checklist; returns 0 if the version can be tagged."""
    for check in QUICK:
        fault = check()
        print(f"{'no ' if fault else 'yes'}  {check.__doc__}", *([f"     {fault}"] if fault else []), sep="\n")
        if fault:
            return 1
    if "--quick" not in arguments and subprocess.run([".ci/run", *PARTS.split()], cwd=paths.ROOT).returncode:
        return 1
    left = list(undecided())
    for point in left:
        print(f"open {point}")
    version = project()["version"]
    print("Not ready to be tagged." if left else f"Ready: git tag v{version}, then push the tag.")
    return int(bool(left))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
