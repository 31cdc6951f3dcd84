"""Count phrases that docs/reference/style.md says to avoid, in all that one reads: python tools/prose.py [--list].

Read are Markdown files, the prose of notebooks, page templates and the docstrings of the package, without code.
"""

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent

_THINGS = "row|line|file|page|section|panel|method|dot|point|number|notebook|entry|folder|table|column|bar|month|week"
_READERS = "student|user|job|log|month|policy|claim|exhibit|program|row|case|machine|lesson|part|partition|scheduler"
PATTERNS = {
    "at hand": r"\bat hand\b",
    "a row a job": rf"\b(?:an?|one|two|several|its) (?:{_THINGS}|picture|sheet|slide|test)s? an? (?:{_READERS})\b",
    "of one's own": r"\b(?:of|on|by) (?:one's|their|its|his) own\b",
    "hangs on": r"\bh[au]ngs? on\b",
    "comes to": r"\b(?:what (?:it|this|that) comes to|ha(?:s|ve) come to|whatever it is)\b",
    "who wants to": r"\b[Ww]ho(?:ever)? (?:wants?|has|comes?|likes?|knows?|looks?) (?!\w+ed by)",
    "Of 18 ...": r"(?:^|[.:;?!] )Of (?:the |these |those |its |all |our |\d|two|three|four|five|six)",
    "found": r"\b(?:was|is|are|were|been|be) found\b|\bthe found\b|\bhas found\b",
    "said, told, asked": r"\b(?:said|told|asked)\b",
    "nought": r"\bnought\b",
    "of late": r"\bof late\b",
    "what ... is": r"(?:^|[.] )What [^.?]{3,60} (?:is|are|was|has)\b[^?]*?[.]",
    "Not so": r"(?:^|[.] )Not so\b",
    "some 40": r"\bsome \d",
    "once more": r"\b(?:anew|once more|so to speak|as it were|far from it)\b",
}


def prose() -> Iterator[tuple[str, str]]:
    """Give the place and the text of each piece of prose."""
    for path in sorted(ROOT.rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        if re.match(r"(?:\.|build|data|tests|benchmarks|.*/\.ipynb|figures/.*(?<!\.md)$)", name) or not path.is_file():
            continue
        if path.suffix in {".md", ".j2"} or (path.suffix == ".html" and name.startswith("simlib")):
            yield name, path.read_text()
        elif path.suffix == ".ipynb":
            for i, cell in enumerate(json.loads(path.read_text())["cells"]):
                if cell["cell_type"] == "markdown":
                    yield f"{name} cell {i}", "".join(cell["source"])
        elif path.suffix == ".py" and name.startswith("simlib"):
            tree = ast.parse(path.read_text())
            for node in ast.walk(tree):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
                    yield f"{name} {getattr(node, 'name', '')}", re.sub(r"(?m)^\s*(>>>|\.\.\.).*\n?", "", text)


def hits() -> Iterator[tuple[str, str, str]]:
    """Give place, pattern and line of each phrase to avoid."""
    for place, text in prose():
        text = re.sub(r"```.*?```|`[^`\n]*`|<!--.*?-->|https?://\S+", "", text, flags=re.DOTALL)
        if place == "docs/reference/style.md":
            text = re.sub(r"(?m)^\| [^|]+ \|", "|", text)  # the column that quotes them as bad examples
        text = re.sub(r'"[^"\n]{20,}"', "", text)  # what a paper says word by word
        text = re.sub(r"(?<=\S)\n(?=[a-z(])", " ", text)
        for line in text.split("\n"):
            for name, pattern in PATTERNS.items():
                for match in re.finditer(pattern, line):
                    yield place, name, line[max(match.start() - 40, 0) : match.end() + 40]


if __name__ == "__main__":
    seen = list(hits())
    if "--list" in sys.argv:
        print(*(f"{place}: {name}: {line}" for place, name, line in seen), sep="\n")
    for name, count in Counter(name for _, name, _ in seen).most_common():
        print(f"{count:>6}  {name}")
    print(*Counter(place.split("/")[0] for place, _, _ in seen).most_common(), len(seen))
