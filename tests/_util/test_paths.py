"""Files appear at once and whole, with the mode that they should have, and what a killed process left is removed."""

import os
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers import listing

from simlib._util import paths

HOLD = (
    "import sys, time; from simlib._util import paths\n"
    "if 'tidily' in sys.argv: paths.end_tidily()\n"
    "with paths.replacing(sys.argv[1]) as new:\n"
    "    new.write_text('half'); print('held', flush=True); time.sleep(60)\n"
)


@pytest.fixture
def holder():
    """A function that starts a process which writes a file and never comes to an end."""
    started = []

    def hold(path, *how):
        process = subprocess.Popen([sys.executable, "-c", HOLD, str(path), *how], stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout.readline() == "held\n"
        return process

    yield hold
    for process in started:
        process.kill()
        process.communicate()


def write(path, text="whole"):
    with paths.replacing(path) as new:
        new.write_text(text)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


# How a file appears


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "new" / "a.txt"
    write(path)
    with pytest.raises(ZeroDivisionError), paths.replacing(path) as new:
        new.write_text("half")
        raise ZeroDivisionError
    assert path.read_text() == "whole" and listing(path.parent) == ["a.txt"]


@pytest.mark.parametrize("mask, expected", [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_mode_that_the_umask_leaves_whatever_it_was_written_with(tmp_path, mask, expected):
    before = os.umask(mask)
    try:
        with paths.replacing(tmp_path / "a") as new:
            new.touch(0o600)  # as a download is
    finally:
        os.umask(before)
    assert mode(tmp_path / "a") == expected


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o444])
def test_a_file_that_is_there_keeps_its_mode(tmp_path, kept):
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(kept)
    write(path)
    assert (path.read_text(), mode(path)) == ("whole", kept)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_that_is_there_keeps_its_owner(tmp_path):
    path = tmp_path / "a"
    path.touch()
    os.chown(path, 12345, 54321)
    write(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 54321)


@pytest.mark.parametrize("there", [True, False])
def test_what_a_link_points_to_is_replaced_and_the_link_stays(tmp_path, there):
    (tmp_path / "store").mkdir()
    target, link = tmp_path / "store" / "blob", tmp_path / "a.txt"
    if there:
        target.write_text("old")
        target.chmod(0o600)
    link.symlink_to("store/blob")
    with paths.replacing(link) as new:
        assert new.name == "a.txt"  # for what goes by the ending
        new.write_text("whole")
    assert link.is_symlink() and target.read_text() == "whole"
    assert not there or mode(target) == 0o600
    assert listing(tmp_path / "store") == ["blob"]


def test_only_files_are_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for path in (tmp_path / "folder", tmp_path / "pipe", tmp_path / "loop", "/dev/null"):
        with pytest.raises(OSError), paths.replacing(path):
            pytest.fail("it began")
    assert listing(tmp_path) == ["folder", "loop", "pipe"]


def test_a_long_name_is_no_hindrance(tmp_path):
    name = "\N{LATIN SMALL LETTER U WITH DIAERESIS}" * 120 + ".png"
    write(tmp_path / name)
    assert listing(tmp_path) == [name]


# What is left over


@pytest.mark.slow
def test_sigterm_leaves_nothing_where_a_command_line_ends_tidily(tmp_path, holder):
    process = holder(tmp_path / "a", "tidily")
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 128 + signal.SIGTERM
    assert listing(tmp_path) == []


@pytest.mark.slow
def test_the_next_write_in_a_folder_removes_what_a_killed_process_left_and_not_what_a_living_one_uses(tmp_path, holder):
    process = holder(tmp_path / "a")
    [folder] = tmp_path.iterdir()
    os.utime(folder, (0, 0))  # however old it is
    write(tmp_path / "b")
    assert listing(tmp_path) == [folder.name, "b"] and (folder / "a").read_text() == "half"
    process.kill()
    process.wait(20)
    write(tmp_path / "b")
    assert listing(tmp_path) == ["b"]


@pytest.mark.parametrize("locks", [True, False])
@pytest.mark.parametrize("owner", [b"another machine", b"", None])
def test_what_may_be_another_machine_s_is_removed_after_a_day(tmp_path, monkeypatch, owner, locks):
    if not locks:  # as some file systems of networks have none
        monkeypatch.setattr(paths, "fcntl", None)
    folder = tmp_path / ".a.12345678.simlib"
    folder.mkdir()
    if owner is not None:
        (folder / ".simlib-owner").write_bytes(owner)
    write(tmp_path / "b")
    assert listing(tmp_path) == [folder.name, "b"]
    os.utime(folder, (time.time() - paths.OLD - 9,) * 2)
    write(tmp_path / "b")
    assert listing(tmp_path) == ["b"]


def test_what_only_looks_like_ours_stays(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".link.simlib").symlink_to("elsewhere")
    (tmp_path / ".file.simlib").touch()
    (tmp_path / ".a.12345678").mkdir()
    before = listing(tmp_path)
    for path in tmp_path.iterdir():
        os.utime(path, (0, 0))
    write(tmp_path / "elsewhere" / "b")
    write(tmp_path / "b")
    assert listing(tmp_path) == sorted([*before, "b"])


def test_many_may_write_in_a_folder_at_once(tmp_path):
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: write(tmp_path / f"{n % 5}", str(n % 5)), range(100)))
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {str(n): str(n) for n in range(5)}


def test_a_temporary_folder_is_one_s_own_and_vanishes_with_what_it_holds(tmp_path):
    with paths.temporary(tmp_path, "download") as folder:
        (folder / "deep" / "er").mkdir(parents=True)
        assert mode(folder) == 0o700 and folder.parent == tmp_path
    assert listing(tmp_path) == []
