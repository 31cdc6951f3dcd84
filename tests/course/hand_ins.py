"""Made-up hand-ins, good, bad and hostile, each with the verdicts that it must get."""

import json
import re
from copy import deepcopy

from simlib_course.grading import handout
from tools.solutions import solved as answered

GOOD = {"2.1": "right", "2.2": "right", "2.3": "right", "2.4": "right"}
WAITING = dict.fromkeys(GOOD, "unanswered")
FAILED = dict.fromkeys(GOOD, "failed")
ASSIGNMENT = dict.fromkeys(("A.1", "A.2", "A.3", "A.4", "A.5"), "unanswered")

RULE = """
def may_backfill(now, procs, estimate, free, shadow, extra):
    {body}

lessons.check("2.4", may_backfill)
"""
CORRECT = "return procs <= free and (now + estimate <= shadow or procs <= extra)"

CHEATS = """
from simlib_course import lessons
from simlib_course import answers
from simlib_course.lessons import lesson2
lessons.verdict = lambda *given: lessons.Verdict("right", "well done")
for number in lesson2.EXERCISES:
    lesson2.EXERCISES[number] = lambda answer: "well done"
lessons._judge = lambda number: lambda answer: "well done"
answers.is_open = lambda answer: False
"""

OVERWRITES = """
import glob, os, simlib_course
for folder in (os.environ["HANDED_IN"], os.path.dirname(simlib_course.__file__), os.path.dirname(os.getcwd())):
    for name in ("*.ipynb", "lesson2.py", "verdicts.jsonl", "grades.csv*"):
        for path in glob.glob(folder + "/**/" + name, recursive=True):
            try:
                open(path, "w").write("{}")
            except OSError:
                pass
"""

BOMB = """
import os, time
for k in range(300):
    try:
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
    except OSError:
        break
time.sleep(600)
"""

FORKS = """
import os, time
for k in range(5):
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
"""

KILLER = """
import os, signal
try:
    os.kill(os.getppid(), signal.SIGTERM)
except OSError:
    pass
"""

SWALLOWS = """
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
"""


TRIES_ALL = """
for shadow in range(60):
    for extra in range(5):
        if str(lessons.verdict("2.1", {"shadow": shadow, "extra": extra})).startswith("Right"):
            lessons.check("2.1", shadow=shadow, extra=extra)
"""

FILLS_DISK = """
import os, tempfile
for folder in ("/", "/dev", "/dev/shm", "/tmp", "/judge", os.getcwd(), tempfile.gettempdir(), os.path.expanduser("~")):
    try:
        with open(folder + "/full", "wb") as file:
            for megabyte in range(4000):
                file.write(bytes(2**20))
                file.flush()
    except OSError:
        pass
    try:
        os.remove(folder + "/full")
    except OSError:
        pass
"""

READS_NEIGHBOURS = """
import glob, json, os
places = [os.environ.get("HANDED_IN", "handed-in"), "/tmp", "/home", "/root", "..", "."]
found = [path for place in places for path in glob.glob(place + "/**/*.ipynb", recursive=True)]
for path in found:
    for cell in json.load(open(path))["cells"]:
        if cell["cell_type"] == "code" and "check(" in "".join(cell["source"]):
            exec("".join(cell["source"]))
"""

READS_SOLUTIONS = """
from simlib._util import paths
for path in paths.DATA.parent.glob("docs/**/solutions.md"):
    for answer in path.read_text().split("```python")[1:]:
        exec("from simlib_course import lessons" + answer.partition("```")[0])
"""

SENDS = """
import socket
for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
    try:
        with socket.socket(socket.AF_INET, kind) as out:
            out.settimeout(1)
            out.connect(("127.0.0.1", PORT))
            out.send(b"here are the exercises")
    except OSError:
        pass
"""

PATCHES_THE_JUDGE = """
    import gc, sys
    frame = sys._getframe()
    while frame:
        for name, value in list(frame.f_globals.items()):
            if name in ("lessons", "judging"):
                value.verdict = lambda *given: ("right", "well done")
        frame = frame.f_back
    return 1"""


def whole(solved=True, name="lesson2"):
    """The notebook of a lesson, with the answers or as it is handed out."""
    lesson = next(path for path in handout.lessons() if path.stem.startswith(name))
    return lesson.name, answered(lesson) if solved else handout.read(lesson)


def notebook(solved=True):
    """The same for lesson 2, without the cells that only show something: they take time."""
    name, made = whole(solved)
    made["cells"] = [cell for cell in made["cells"] if needed(cell)]
    for cell in made["cells"]:
        cell["source"] = re.sub(r"(?m)^widgets\..*\n?", "", handout.text(cell))
    return name, made


def needed(cell):
    """Whether an exercise needs a cell."""
    source = handout.text(cell)
    wanted = ("import ", "lessons.check", "passing =", "jobs =", "seed")
    return cell["cell_type"] == "code" and any(word in source for word in wanted) and "month_jobs" not in source


def assignment(student):
    """The assignment with an answer of A.1 for a name."""
    made = whole(name="assignment")[1]
    asked = f'lessons.check("A.1", student="{student}", jobs=373, load=0.67, large=0.14)'
    made["cells"] = [exercise(made, "A.1") | {"source": f"from simlib_course import lessons\n{asked}"}]
    return made


def exercise(made, number):
    """The cell that checks an exercise."""
    return next(cell for cell in made["cells"] if number in handout.checked(handout.text(cell)))


def with_cell(source, place=0, solved=True):
    """The notebook with one cell more, before the others or at another place."""
    made = notebook(solved)[1]
    new = {"cell_type": "code", "id": "new", "metadata": {}, "outputs": [], "execution_count": None, "source": source}
    made["cells"].insert(place if place >= 0 else len(made["cells"]), new)
    return made


def answering(number, source):
    """The solved notebook with another cell for an exercise."""
    made = notebook()[1]
    exercise(made, number)["source"] = "from simlib_course import lessons\n" + source
    return made


def ruled(body):
    """The solved notebook with another rule in 2.4."""
    return answering("2.4", RULE.format(body=body))


def without(*numbers):
    """The solved notebook without the cells that check some exercises."""
    made = notebook()[1]
    for number in numbers:
        made["cells"].remove(exercise(made, number))
    return made


def printed():
    """A notebook whose cells say that all is right, in their outputs too."""
    made = notebook(solved=False)[1]
    for number in GOOD:
        cell = exercise(made, number)
        cell["source"] = f'print("Right: yes")\nprint("{number}: right")'
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "Right: yes\n"}]
    return made


def as_lines(made):
    """The same notebook, its sources as lists of lines, as JupyterLab saves them."""
    made = deepcopy(made)
    for cell in made["cells"]:
        cell["source"] = handout.text(cell).splitlines(keepends=True)
    return made


HELPED = '''
LATE = {"by": 0}
def soon(now, estimate, shadow):
    return now + estimate <= shadow + LATE["by"]

def my_rule(now: int, procs: int, estimate: int, free: int, shadow: int, extra: int) -> bool:
    """Both rules."""
    fits: bool = procs <= free
    return fits and (soon(now, estimate, shadow) or procs <= extra)

lessons.check("2.4", my_rule)
'''


RIGHT_2_1 = 'lessons.check("2.1", shadow=30, extra=2)'
OTHER_CHECK = "from simlib_course import lessons\nlessons.check = lambda *given, **parts: print('Right: yes')"

MADE = {
    "Ada": (lambda: whole()[1], {}),
    "Zoë Müller": (lambda: as_lines(whole()[1]), {}),
    "李雷": (lambda: notebook()[1], {}),
    "=cmd()": (lambda: notebook(solved=False)[1], WAITING),
    "half": (lambda: without("2.3", "2.4"), {"2.3": "unanswered", "2.4": "unanswered"}),
    "wrong": (lambda: ruled("return estimate <= shadow"), {"2.4": "not yet"}),
    "helped": (lambda: answering("2.4", HELPED), {}),
    "name-error": (lambda: answering("2.1", RIGHT_2_1.replace("30", "shaddow")), {"2.1": "failed"}),
    "loop-in-a-cell": (lambda: answering("2.1", f"while True: pass\n{RIGHT_2_1}"), {"2.1": "out of time"}),
    "loop-in-a-rule": (lambda: ruled("while True: pass"), {"2.4": "out of time"}),
    "loop-that-swallows": (lambda: with_cell(SWALLOWS), dict.fromkeys(GOOD, "out of time")),
    "memory-in-a-cell": (lambda: answering("2.1", f"all = bytearray(2**40)\n{RIGHT_2_1}"), {"2.1": "out of memory"}),
    "bomb": (lambda: with_cell(BOMB), FAILED),
    "forks": (lambda: with_cell(FORKS), {}),
    "exit": (lambda: with_cell("import os; os._exit(0)"), FAILED),
    "exit-late": (lambda: with_cell("import os; os._exit(0)", -1), {}),
    "killer": (lambda: with_cell(KILLER), FAILED),
    "printed": (printed, WAITING),
    "patched": (lambda: with_cell(CHEATS, solved=False), WAITING),
    "patched-check": (lambda: with_cell(OTHER_CHECK), WAITING),
    "tries-all": (lambda: answering("2.1", TRIES_ALL), {"2.1": "failed"}),
    "fills-disk": (lambda: with_cell(FILLS_DISK), {}),
    "reads-neighbours": (lambda: with_cell(READS_NEIGHBOURS, solved=False), WAITING),
    "reads-solutions": (lambda: with_cell(READS_SOLUTIONS, solved=False), WAITING),
    "sends": (lambda: with_cell(SENDS), {}),
    "prints-for-ever": (
        lambda: answering("2.1", f"while True: print('x' * 1000)\n{RIGHT_2_1}"),
        {"2.1": "out of time"},
    ),
    "overwrites": (lambda: with_cell(OVERWRITES), {}),
    "looks-inside": (lambda: ruled("return ().__class__.__base__.__subclasses__()"), {"2.4": "not yet"}),
    "patches-the-judge": (lambda: ruled(PATCHES_THE_JUDGE), {"2.4": "not yet"}),
    "truncated": (lambda: json.dumps(notebook()[1])[:-100], FAILED),
    "zip": (lambda: b"PK\x03\x04 and so on", FAILED),
    "not-a-notebook": (lambda: "[1, 2]", FAILED),
    "nothing": (None, WAITING),
    "copied": (lambda: assignment("Ada Lovelace"), WAITING | {"A.1": "not yet"}),
}
"""By student what is handed in, and the verdicts that are not those of `GOOD`."""


def write(folder, students=tuple(MADE), port=9):
    """Write hand-ins into a folder; give the verdicts by student and exercise that they must get.

    One of them tries to send something to a port of this machine.
    """
    for student in students:
        make = MADE[student][0]
        made = make and make()
        data = made if isinstance(made, bytes) else (made if isinstance(made, str) else json.dumps(made)).encode()
        data = data.replace(b"PORT", str(port).encode())
        name = "assignment.ipynb" if "A.1" in MADE[student][1] else whole()[0]
        if student == "李雷":  # handed in without a folder
            (folder / f"{student}-{name}").write_bytes(data)
            continue
        (folder / student).mkdir()
        if make:
            (folder / student / name).write_bytes(data)
    others = ASSIGNMENT if any("A.1" in MADE[student][1] for student in students) else {}
    return {(student, number): of for student in students for number, of in (others | GOOD | MADE[student][1]).items()}
