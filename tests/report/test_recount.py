"""Every number of a page's tables, worked out once more by a script that does not use the package."""

import re
from html import unescape

import numpy as np
import recount
from test_log_report import waited

from simlib import Workload
from simlib.logs import swf
from simlib_report import Page


def log():
    """Some weeks of jobs of two users, long and short, narrow and wide: no two of them within two minutes."""
    draw = np.random.default_rng(7)
    submit = np.cumsum(draw.integers(300, 16_000, 80))
    run = draw.integers(600, 30_000, 80)
    estimate = np.where(run < 14_400, 14_400, 39_600)
    size = np.where(draw.random(80) < 0.5, 1, draw.integers(5, 9, 80))
    return np.column_stack([submit, run, estimate, size]), draw.permutation(np.arange(80) % 2 + 1)


def read(text):
    """The tables of a page: cells by caption, row and column."""
    tables = {}
    for table in re.findall(r"(?s)<table>(.*?)</table>", text):
        rows = [
            [unescape(re.sub(r"<[^>]*>", "", cell)) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
            for row in re.findall(r"(?s)<tr>(.*?)</tr>", table)
        ]
        caption = unescape(re.search(r"<caption>(.*?)</caption>", table)[1])
        tables[caption] = {row[0]: dict(zip(rows[0][1:], row[1:], strict=True)) for row in rows[1:]}
    return tables


def test_every_number_of_a_page_is_worked_out_again():
    jobs, users = log()
    fields = waited(jobs.tolist(), 8, -1, user=users).log
    page = Page(Workload(swf.jobs_of(fields), 8, "recounted", log=fields), ["EASY", "FCFS"], shakes=4)
    page.cases = {name: page.cases[name] for name in ("EASY", "FCFS")}
    shown, expected = read(page.html()), recount.tables(jobs, users, 8)
    for caption, rows in expected.items():
        for row, cells in rows.items():
            assert {column: shown[caption][row][column] for column in cells} == cells, (caption, row)
    compared = {(caption, row, column) for caption, rows in expected.items() for row in rows for column in rows[row]}
    numbers = {
        (c, r, k) for c in expected for r in shown[c] for k, text in shown[c][r].items() if re.search(r"\d", text)
    }
    assert numbers - compared == {(next(c for c in expected if "Against" in c), "EASY", "mean wait")}
