"""From the landing page, README or the site's, a reader finds the answer to a question within two clicks."""

import re

import pytest
from helpers import ROOT

QUESTIONS = {
    "How do I install a wheel?": (["docs/how-to/install.md"], r"pip install simlib_backfilling-\*\.whl"),
    "What do I do with a dump of my Slurm?": (["docs/how-to/my-cluster.md"], "simlib report jobs.txt"),
    "How do I make such a dump?": (["docs/how-to/slurm.md"], r"\bsacct --allusers"),
    "Which policy do I take?": (["docs/reference/policies.md"], "## Which, and when"),
    "What did MF claim, and does it hold?": (
        ["figures/README.md", "figures/claims/mualem2001.md"],
        "## MF-01\n.*[*]Verdicts[*]",
    ),
    "Is EASY++ good?": (["docs/reference/policies.md"], r"\*\*EASY\+\+\*\* plans .*six of seven other"),
    "How do I write a policy?": (["docs/how-to/own-policies.md"], "OwnPolicy"),
    "How do I read lesson 2 on a phone?": (["docs/tutorials/lessons.md"], "On a phone"),
    "How do I grade thirty hand-ins?": (
        ["docs/how-to/teaching/README.md", "docs/how-to/teaching/grading.md"],
        "simlib grade ",
    ),
    "How do I cite it?": (["CITATION.cff"], "title:"),
    "How do I add an exhibit?": (["CONTRIBUTING.md"], "## Add an exhibit"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_answer_is_two_clicks_away(question):
    clicks, answer = QUESTIONS[question]
    page = ROOT / "README.md"
    for click in clicks:
        links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
        there = [(page.parent / link).resolve() for link in links if "://" not in link]
        assert (ROOT / click).resolve() in there, f"{page.relative_to(ROOT)} has no link to {click}"
        page = ROOT / click
    assert re.search(answer, page.read_text(encoding="utf-8"), re.DOTALL), f"{page.relative_to(ROOT)}: no answer"
