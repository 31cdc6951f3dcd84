"""Each test that the page of rules names is there, and `make test` runs it."""

import re

import pytest
from helpers import ROOT


def test_the_tests_that_guard_the_rules_are_there(request):
    page = (ROOT / "docs" / "reference" / "rules.md").read_text("utf-8")
    rows = [
        line.split(" | ")[2] for line in page.splitlines() if line.startswith("| ") and line[2:5] not in ("rul", "---")
    ]
    named = [re.fullmatch(r"`(.+\.py)`: (.+?)(?: \((.+)\))? \|", row).groups() for row in rows]
    modules = {name: pytest.Module.from_parent(request.session, path=ROOT / "tests" / name) for name, *_ in named}
    found = {name: request.session.genitems(module) for name, module in modules.items()}
    there = {
        name: [item.name for item in items if not item.get_closest_marker("thorough")] for name, items in found.items()
    }

    def is_there(name, words, case):
        """Whether a module has a test, and the case of it that is named."""
        cases = rf"\[{re.escape(case)}(-.+)?\]" if case else r"(\[.+\])?"
        return any(re.fullmatch(f"test_{words.replace(' ', '_')}{cases}", item) for item in there[name])

    assert named and [test for test in named if not is_there(*test)] == []
