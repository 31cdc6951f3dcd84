"""Where and how simlib runs: full disks, read-only places, odd locales, zones, folders and settings."""

import gzip
import hashlib
import json
import os
import shutil
import subprocess

from .attack import ROOT, Tried, folder_for_files, last_line, python, try_each
from .server import body, catalogue, serving
from .slurm import COLUMNS, NOON

# Full disks

PREPARE = """
import json, os, resource, signal, sys, warnings
from pathlib import Path
warnings.simplefilter("ignore")
import numpy as np, pandas as pd
import simlib
from simlib.logs import archive
from simlib._util import paths
folder = Path(sys.argv[1])
most = int(sys.argv[2])
def fill():
    "Leave too little room: on the small disk itself, or by a limit on the size of files."
    if most:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    else:
        file = os.open(folder / "filling", os.O_WRONLY | os.O_CREAT)
        try:
            while True:
                os.write(file, bytes(4096))
        except OSError:
            os.close(file)
n = 40_000
jobs = pd.DataFrame({"submit": np.arange(n), "run": np.arange(n) % 1009 * 7919 % 1000, "procs": 1})
w = simlib.Workload(jobs, 4, "many")
"""

WRITES = {
    "write_swf": "fill(); simlib.write_swf(w, folder / 'old.swf')",
    "write_swf, compressed": "fill(); simlib.write_swf(w, folder / 'old.swf.gz')",
    "write_swf, a new file": "fill(); simlib.write_swf(w, folder / 'new.swf')",
    "records.save, table": (
        "from simlib.study import records; paths.ROOT = folder; fill(); "
        "records.save('teaching_old', None, pd.DataFrame({'x': np.arange(50_000) * 1.23456}))"
    ),
    "records.save, picture": (
        "from simlib.study import records; import matplotlib.pyplot as plt; paths.ROOT = folder; "
        "figure, ax = plt.subplots(figsize=(20, 20)); ax.imshow(np.random.default_rng(1).random((900, 900))); fill(); "
        "records.save('teaching_old', figure)"
    ),
    "a Schedule": "s = simlib.simulate(w, simlib.EASY()); fill(); simlib.write_swf(s, folder / 'old.swf.gz')",
}
"""Each must end with an OSError, and leave what was there."""

AT_WORK = """
try:
    exec(sys.argv[3])
except OSError as error:
    print("OSError:", error)
else:
    print("nothing failed")
"""

COMMANDS = {
    "from-sacct": ["from-sacct", "{outside}/jobs.txt", "{folder}/old.swf"],
    "from-sacct, compressed": ["from-sacct", "{outside}/jobs.txt", "{folder}/old.swf.gz"],
    "fetch": ["fetch", "A"],
}

MAIN = """
import simlib.__main__
paths.TRACES = folder
known = archive.catalogue() | json.loads(sys.argv[3])
archive.catalogue = lambda: known
fill()
sys.exit(simlib.__main__.main(sys.argv[4:]))
"""


def state(folder):
    """Of each file below a folder its digest; hidden ones too."""
    files = (path for path in sorted(folder.rglob("*")) if path.name != "filling")
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        for path in files
    }


def can_mount():
    """Whether we may mount file systems in a name space of our own."""
    if not (hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("unshare") and shutil.which("mount")):
        return False
    mounted = subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True)
    return mounted.returncode == 0


def _old_files(folder):
    """What lies in a folder before something fails."""
    for place in (folder, folder / "figures"):
        place.mkdir(exist_ok=True)
        for name in ("old.swf", "old.swf.gz", "teaching_old.csv", "teaching_old.png", "teaching_old.json"):
            place.joinpath(name).write_bytes(b"; what was there before\n" * 10)


def _records():
    """sacct's output for some thousand jobs."""
    rows = (
        f"{k}|{NOON + k}|{NOON + k}|{NOON + k + 9}|9|60|COMPLETED|4|4|1|1|u{k % 7}|a|q|p|{k * 7919}"
        for k in range(20_000)
    )
    return "\n".join(["|".join(COLUMNS), *rows]) + "\n"


def _full(folder, before, code, most, *arguments, **environment):
    """Run code where there is too little room, and hold the folder against what it was."""
    _old_files(folder)
    was = state(folder)
    process = python(PREPARE + code, folder, most, *arguments, before=before, **environment)
    return process, {name: digest for name, digest in state(folder).items() if was.get(name) != digest}


def _try_full(what, before, most):
    """Everything that writes, where there is no room."""

    def attempt(code, *arguments, **environment):
        for path in folder.glob("*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        process, changed = _full(folder, before(folder), code, most, *arguments, **environment)
        if changed:
            return f"left or changed: {', '.join(changed)}; {last_line(process)}"
        return process

    def library(code):
        found = attempt(AT_WORK, code)
        if isinstance(found, str):
            return found
        if found.returncode or not found.stdout.startswith("OSError:"):
            return f"expected an OSError: {last_line(found)}"

    def command(words):
        big = gzip.compress(b"; MaxProcs: 4\n" + os.urandom(300_000).hex().encode(), mtime=0)
        with serving(body(big)) as port:
            places = {"outside": outside, "folder": folder}
            words = [word.format(**places) for word in words]
            mirror = f"http://127.0.0.1:{port}"
            found = attempt(MAIN, catalogue(), *words, SIMLIB_ARCHIVE=mirror, SIMLIB_TRACES=None, NO_PROXY="*")
        if isinstance(found, str):
            return found
        lines = [line for line in found.stderr.strip().splitlines() if not line.startswith("no --timezone")]
        if found.returncode != 1 or len(lines) != 1:
            return f"expected status 1 and one line: {found.returncode}, {lines[-3:]}"[:400]

    with folder_for_files() as place:
        folder, outside = place / "disk", place / "outside"
        folder.mkdir(), outside.mkdir()
        outside.joinpath("jobs.txt").write_text(_records())
        cases = {name: (library, code) for name, code in WRITES.items()}
        cases |= {name: (command, words) for name, words in COMMANDS.items()}
        return try_each(what, cases, lambda check, given: check(given))


def small_files(plan):
    """A limit on the size of files."""
    return _try_full("writing where files may have no more than 50 kB (RLIMIT_FSIZE)", lambda folder: (), 50_000)


def full_disk(plan):
    """A disk without room."""
    what = "writing on a full disk (a small tmpfs)"
    if not can_mount():
        return Tried(what, 0, [], "needs root, to mount a small disk in a name space of its own")
    # the folder's own files are on the small disk while the process runs; it is copied out again at the end
    script = (
        'folder=$0; keep=$(mktemp -d); cp -r "$folder"/. "$keep"; mount -t tmpfs -o size=192k none "$folder"; '
        'cp -r "$keep"/. "$folder"; "$@"; status=$?; rm -f "$folder/filling"; '
        'rm -rf "$keep"/..?* "$keep"/.[!.]* "$keep"/*; '
        'cp -r "$folder"/. "$keep"; umount "$folder"; rm -rf "$folder"/..?* "$folder"/.[!.]* "$folder"/*; '
        'cp -r "$keep"/. "$folder"; rm -rf "$keep"; exit $status'
    )
    return _try_full(what, lambda folder: ("unshare", "--mount", "sh", "-c", script, str(folder)), 0)


# Read-only places

IMPORTING = """
import json, sys, warnings
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    import simlib
    from simlib import plots
    w = simlib.load("sample")
    sums = [int(simlib.simulate(w, p).jobs.start.sum()) for p in (simlib.FCFS(), simlib.EASY(), simlib.Conservative())]
print(json.dumps({"sums": sums, "from": simlib.__file__, "said": [str(one.message) for one in said]}))
"""

LIBRARY = "simlib", "data", "pyproject.toml"


def copy_of_the_tree(folder, parts=LIBRARY):
    """A copy of what is in the checkout, without logs and without compiled kernels; its path."""
    root = folder / "tree"
    root.mkdir()
    for name in parts:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "traces", ".*"))
        else:
            shutil.copy(ROOT / name, root)
    (root / "data" / "traces").mkdir(exist_ok=True)
    return root


def read_only(plan):
    """Package, home and current folder that cannot be written."""
    what = "importing and simulating where package, home and current folder are read-only, and no kernel is compiled"
    if not can_mount():
        return Tried(what, 0, [], "needs root, to mount folders read-only in a name space of its own")
    script = 'for f in "$RO1" "$RO2"; do mount --bind "$f" "$f" && mount -o remount,bind,ro "$f"; done; exec "$@"'

    def attempt(variables, readable=True):
        with folder_for_files() as folder:
            root, home, work = copy_of_the_tree(folder), folder / "home", folder / "work"
            home.mkdir(), work.mkdir()
            places = {"RO1": root, "RO2": home, "HOME": home, "NUMBA_CACHE_DIR": None, "XDG_CACHE_HOME": None}
            process = subprocess_in(root, script, work, **places | {"MPLCONFIGDIR": None} | variables(folder))
            if process.returncode:
                return last_line(process)
            found = json.loads(process.stdout.splitlines()[-1])
            if found["sums"] != right or not found["from"].startswith(str(root)):
                return f"other results, or another package: {found}"
            if not (found["said"] or process.stderr.strip()) and "NUMBA_CACHE_DIR" not in variables(folder):
                return "nothing is said of kernels compiled anew"

    def own_cache(folder):
        folder.joinpath("cache").mkdir(exist_ok=True)
        return {"NUMBA_CACHE_DIR": folder / "cache"}

    right = json.loads(python(IMPORTING).stdout.splitlines()[-1])["sums"]
    cases = {
        "package and home": (lambda folder: {},),
        "no home at all": (lambda folder: {"HOME": "/proc/nowhere"},),
        "a cache elsewhere": (own_cache,),
    }
    return try_each(what, cases, attempt)


def subprocess_in(root, script, work, **environment):
    """Run `IMPORTING` in a name space of its own, prepared by a shell script."""
    before = ("unshare", "--mount", "sh", "-c", script, "sh")
    return python(IMPORTING, cwd=root, before=before, timeout=400, **environment)


# Locales, zones, settings

SUMMARY = """
import hashlib, json, sys, warnings
from pathlib import Path
warnings.simplefilter("ignore")
import simlib
from simlib._util import paths
from simlib import plots
from simlib.study import records
import matplotlib.pyplot as plt
paths.ROOT = Path(sys.argv[1])
w = simlib.load(sys.argv[2])
s = simlib.simulate(w, simlib.EASY())
plots.use_style()
figure, ax = plt.subplots(figsize=(5, 3))
plots.utilization(s, ax)
ax.set_title("utilization: caf\\u00e9 \\u2264 1")
table = s.by_month()
records.save("teaching_made", figure, table, workloads=[w], parameters={"name": "caf\\u00e9"})
simlib.write_swf(s, paths.ROOT / "made.swf.gz")
simlib.write_swf(w.months(table.index[0]), paths.ROOT / "month.swf")
(paths.ROOT / "said.txt").write_text(s.summary().to_csv() + table.to_csv() + repr(w), encoding="utf-8")
print(json.dumps({str(p.relative_to(paths.ROOT)): hashlib.sha256(p.read_bytes()).hexdigest()
                  for p in sorted(paths.ROOT.rglob("*.*")) if p.is_file()}))
"""

SETTINGS = {
    "LC_ALL=C": {"LC_ALL": "C"},
    "LC_ALL=POSIX, not UTF-8": {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "LC_ALL=de_DE.UTF-8": {"LC_ALL": "de_DE.UTF-8"},
    "LC_ALL=tr_TR.UTF-8": {"LC_ALL": "tr_TR.UTF-8"},
    "PYTHONIOENCODING=ascii": {"PYTHONIOENCODING": "ascii"},
    "TZ=Asia/Kathmandu": {"TZ": "Asia/Kathmandu"},
    "TZ=America/St_Johns": {"TZ": "America/St_Johns"},
    "TZ=Nowhere/Land": {"TZ": "Nowhere/Land"},
    "TZ empty": {"TZ": ""},
    "PYTHONHASHSEED=0": {"PYTHONHASHSEED": "0"},
    "PYTHONHASHSEED=4711": {"PYTHONHASHSEED": "4711"},
    "MPLBACKEND=svg": {"MPLBACKEND": "svg"},
    "MPLBACKEND=pdf": {"MPLBACKEND": "pdf"},
    "MPLBACKEND=inline": {"MPLBACKEND": "module://matplotlib_inline.backend_inline"},
    "one thread": {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    "PYTHONOPTIMIZE=2": {"PYTHONOPTIMIZE": "2"},
    "PYTHONDONTWRITEBYTECODE=1": {"PYTHONDONTWRITEBYTECODE": "1"},
    "umask 077": {"UMASK": "077"},
    "a folder with blanks": {"FOLDER": "a b  c"},
    "a folder with quotes": {"FOLDER": 'it\'s "here" $HOME `x`'},
    "a folder with other letters": {"FOLDER": "caf\u00e9 \u6771\u4eac"},
}


def odd_settings(plan):
    """Whatever the environment says, the same bytes."""

    def attempt(variables):
        if "LC_ALL" in variables and variables["LC_ALL"] not in ("C", "POSIX") and not _known(variables["LC_ALL"]):
            absent.append(variables["LC_ALL"])
            return None
        found = _made(variables)
        if isinstance(found, str):
            return found
        other = sorted(name for name in {*right, *found} if right.get(name) != found.get(name))
        return f"other bytes: {', '.join(other)}" if other else None

    absent = []
    right = _made({})
    cases = {name: (variables,) for name, variables in SETTINGS.items()}
    done = try_each("", cases, attempt)
    what = "summary, months, picture, numbers, logs under odd locales, zones, backends, hash seeds, folders: same bytes"
    lacking = f" (not installed, left out: {', '.join(absent)})" if absent else ""
    return Tried(what + lacking, done.times - len(absent), [right] if isinstance(right, str) else done.failures)


SAME = ["keep", "./keep", "../at work/keep", "link", "hard link", "{folder}/keep"]
"""Names of one file."""


def same_files(plan):
    """The file that a command reads given as the one to write, by other names."""

    def attempt(words):
        with folder_for_files() as place:
            (folder := place / "at work").mkdir()
            log = "; MaxProcs: 4\n" + "1 0 0 9 1 -1 -1 1 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
            folder.joinpath("keep").write_text(_records() if words[0] == "from-sacct" else log)
            folder.joinpath("link").symlink_to("keep")
            folder.joinpath("hard link").hardlink_to(folder / "keep")
            was = state(folder)
            code = f"import os, sys; os.chdir({str(folder)!r})\n"
            code += "from simlib.__main__ import main; sys.exit(main(sys.argv[1:]))"
            process = python(code, *(word.format(folder=folder) for word in words))
            if state(folder) != was:
                return f"changed what it read, or left more: {', '.join(state(folder))}"
            if process.returncode != 1 or "the one that is read" not in process.stderr:
                return f"expected status 1 and a line that says why: {process.returncode}, {last_line(process)}"

    cases = {f"report, {name}": (["report", "keep", "--out", name],) for name in SAME}
    cases |= {f"from-sacct, {name}": (["from-sacct", "keep", name, "--timezone", "UTC"],) for name in SAME}
    return try_each(
        "report and from-sacct told to write the file that they read, under its other names", cases, attempt
    )


def _known(name):
    found = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.lower().replace("-", "")
    return name.lower().replace("-", "") in found.split()


def _made(variables):
    """The digests of what is made under such settings, or what failed."""
    with folder_for_files() as folder:
        root = folder / variables.get("FOLDER", "plain")
        root.mkdir()
        given = {name: value for name, value in variables.items() if name not in ("FOLDER", "UMASK")}
        before = ("sh", "-c", f'umask {variables["UMASK"]}; exec "$@"', "sh") if "UMASK" in variables else ()
        process = python(SUMMARY, root, _some_log(), before=before, **{"MPLBACKEND": None} | given)
        if process.returncode:
            return last_line(process)
        return json.loads(process.stdout.splitlines()[-1])


def _some_log():
    from simlib.logs import archive

    return "KTH-SP2" if archive.find("KTH-SP2") else "sample"
