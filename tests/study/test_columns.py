"""`docs/reference/columns.md` explains every column of the tables in `figures/`, and no other."""

import re

import pandas as pd
import pytest

from simlib._util import paths

PAGE = (paths.ROOT / "docs" / "reference" / "columns.md").read_text(encoding="utf-8")
UNNAMED = "without a name"


@pytest.fixture(scope="module")
def tables():
    """The tables by notebook and name; those of the report by "figures"."""
    found = {}
    for path in (paths.ROOT / "figures").rglob("*.csv"):
        table = pd.read_csv(path, dtype=str, keep_default_na=False).rename(columns={"Unnamed: 0": UNNAMED})
        found[path.parent.relative_to(paths.ROOT / "figures").as_posix(), path.stem] = table
    return found


def rows(page):
    """What a page explains: the notebook, "" in the first table; the tables, none for any; and the column."""
    notebook = ""
    for line in page.splitlines():
        notebook = line[4:] if line.startswith("### ") else notebook
        if line.startswith(("| `", f"| {UNNAMED} ")):
            column, of, *_ = (cell.strip(" `") for cell in line[1:].split("|"))
            yield notebook, set(of.split(", ")) - {""} if notebook else set(), column


def wrong(page, tables):
    """The columns that a page does not explain, and its rows that no table has.

    In a column's name <log> stands for all that columns `log` have, and <seconds>, as there is none, for a number.
    """
    there, of_none = {(*place, column) for place, table in tables.items() for column in table}, []
    unexplained = set(there)
    for notebook, suffixes, name in rows(page):
        parts = re.split("<(.+?)>", name)
        values = [{one for table in tables.values() if part in table for one in table[part]} for part in parts[1::2]]
        parts[::2] = map(re.escape, parts[::2])
        parts[1::2] = [f"({'|'.join(map(re.escape, of))})" if of else "[+-]?[0-9]+" for of in values]
        met = {one for one in there if notebook in ("", one[0]) and re.fullmatch("".join(parts), one[2])}
        met = {one for one in met if not suffixes or one[1] in suffixes}
        unexplained -= met
        of_none += [name] if not met or suffixes - {suffix for _, suffix, _ in met} else []
    return sorted(unexplained), of_none


def test_the_page_explains_every_column_and_no_other(tables):
    assert len(tables) > 100 and wrong(PAGE, tables) == ([], [])


def test_a_missing_column_and_one_that_no_table_has_would_show(tables):
    without, beyond = re.sub(".*`upto_<seconds>`.*\n", "", PAGE), f"{PAGE}| `haste` | controls | s | |\n"
    assert ("mualem2001/figure6", "by_class", "upto_60") in wrong(without, tables)[0]
    assert wrong(beyond, tables) == ([], ["haste"])
