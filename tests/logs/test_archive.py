"""Finding, fetching and verifying logs, against a web server on this machine that answers as badly as servers can."""

import gzip
import hashlib
import os
import re
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from zoneinfo import ZoneInfo

import pytest
from helpers import listing

import simlib
from simlib import ArchiveError, LogWarning
from simlib.__main__ import main
from simlib._util import paths
from simlib.logs import archive
from simlib.models import twin

GOOD = [f"{job} {job * 100} -1 60 4 -1 -1 4 90 -1 1 3 1 -1 1 -1 -1 -1" for job in range(1, 51)]
CLEANED = GOOD[:-5]
TAMPERED = [GOOD[0].replace(" 60 ", " 61 "), *GOOD[1:]]
PAGE = b"<!DOCTYPE html>\n<html><body>\n<p>Please sign in to the network\n</body></html>\n"


def packed(lines):
    """A log of these job lines, as the archive keeps it."""
    return gzip.compress(("; MaxProcs: 99\n; UnixStartTime: 0\n" + "\n".join(lines) + "\n").encode(), mtime=0)


def facts(lines):
    return {"lines": len(lines), "sha256": hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()}


CATALOGUE = {
    "base": "http://127.0.0.1:9/nobody/is/here/",
    "limit": 100_000,
    "citation": "A. Author, 1999",
    "logs": {
        "KTH": {
            "title": "A small machine",
            "folder": "l_kth",
            "procs": 64,
            "timezone": "Europe/Stockholm",
            "acknowledgement": "Thanks to B. Builder.",
            "files": [
                {"file": "KTH.swf.gz", "variant": "original", **facts(GOOD)},
                {"file": "KTH-mine.swf.gz", "variant": "reconstructed", **facts(GOOD), "download": False},
                {"file": "KTH-cln.swf.gz", "variant": "cleaned", **facts(CLEANED)},
                {"file": "KTH-beta.swf.gz", "variant": "unseen"},
            ],
        },
        "CTC": {
            "title": "A larger one",
            "folder": "l_ctc",
            "procs": 512,
            "start": 835823160,
            "timezone": "US/Eastern",
            "acknowledgement": "Thanks to C. Clever.",
            "files": [
                {"file": "CTC-own.swf.gz", "variant": "reconstructed", **facts(GOOD), "download": False},
                {"file": "CTC.swf.gz", "variant": "original", "lines": len(GOOD)},
            ],
        },
        "MINE": {
            "title": "Not in the archive",
            "procs": 8,
            "timezone": "UTC",
            "synthetic": True,
            "acknowledgement": "Thanks to nobody.",
            "files": [{"file": "MINE.swf.gz", "variant": "sample"}],
        },
    },
}


def answer(body, status=200, length=None, **headers):
    """How a server answers that sends a body, and says that it has a length."""

    def reply(request):
        request.send_response(status)
        request.send_header("Content-Length", str(len(body) if length is None else length))
        for key, value in headers.items():
            request.send_header(key.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    return reply


def silence(request):
    """How a server answers that takes the question and says nothing."""
    request.server.over.wait(10)


def hang_up(request):
    request.close_connection = True


def fall_silent(request):
    """How a server answers that stops in the middle of the body."""
    answer(packed(GOOD)[:100], length=1000)(request)
    silence(request)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        self.server.reply(self)

    def log_message(self, *_):
        pass


@pytest.fixture
def site(monkeypatch):
    """A web server in place of the archive; `site.reply` is how it answers, `site.asked` what it was asked for."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.reply, server.asked, server.over = answer(packed(GOOD)), [], threading.Event()
        server.url = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setenv("SIMLIB_ARCHIVE", server.url)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        yield server
        server.over.set()
        server.shutdown()


@pytest.fixture
def downloads(monkeypatch, tmp_path):
    """The folder that downloads are kept in; nothing is on this machine, and the network is this machine."""
    monkeypatch.setattr(paths, "TRACES", tmp_path / "traces")
    monkeypatch.setattr(archive, "_out_of_reach", set())
    monkeypatch.setattr(archive, "_warned", set())
    monkeypatch.delenv("SIMLIB_TRACES", raising=False)
    for key in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(key, "*")
    return tmp_path / "traces"


@pytest.fixture
def small(monkeypatch, downloads):
    """A catalogue of logs whose content the tests know."""
    monkeypatch.setattr(archive, "catalogue", lambda: CATALOGUE)


@pytest.fixture
def mine(monkeypatch, tmp_path):
    """A folder of the user's own, named by SIMLIB_TRACES."""
    folder = tmp_path / "mine"
    folder.mkdir()
    monkeypatch.setenv("SIMLIB_TRACES", str(folder))
    return folder


def keep(folder, name, lines):
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(packed(lines))
    return folder / name


def refusal(action, *arguments):
    """What an action complains of: one line."""
    with pytest.raises(ArchiveError) as error:
        action(*arguments)
    message = str(error.value)
    assert "\n" not in message and len(message) < 400
    return message


# Fetching


def test_nobody_changes_the_catalogue_for_others():
    for about in archive.catalogue()["logs"]["KTH-SP2"], archive.entry("KTH-SP2"):
        about["procs"], about["files"] = 50, []
    assert archive.entry("KTH-SP2")["procs"] == 100 and archive.files("KTH-SP2")


def test_a_log_is_verified_kept_and_comes_with_what_the_catalogue_knows(small, site, downloads):
    w = simlib.load("KTH")
    assert site.asked == ["/l_kth/KTH.swf.gz"] and listing(downloads) == ["KTH.swf.gz"]
    assert (downloads / "KTH.swf.gz").read_bytes() == packed(GOOD)
    assert (len(w), w.procs, w.name, w.synthetic) == (50, 64, "KTH", False)
    assert str(w.start) == "1970-01-01 01:00:00+01:00"
    assert w.source == {
        "file": "KTH.swf.gz",
        "path": str(downloads / "KTH.swf.gz"),
        "variant": "original",
        "sha256": facts(GOOD)["sha256"],
        "verified": True,
    }


def test_the_catalogues_clock_counts_before_the_headers(small, site):
    assert str(simlib.load("CTC").start) == "1996-06-26 17:06:00-04:00"


@pytest.mark.parametrize("base", ["{}", "{}/", "{}/mirror/of/logs/"])
def test_the_archive_can_be_a_mirror(small, site, monkeypatch, base):
    monkeypatch.setenv("SIMLIB_ARCHIVE", base.format(site.url))
    archive.fetch("KTH")
    assert site.asked[0].endswith("/l_kth/KTH.swf.gz") and "//" not in site.asked[0]


def test_a_file_that_the_server_unpacks_on_the_way_is_as_good(small, site, downloads):
    site.reply = answer(packed(GOOD), Content_Encoding="gzip")
    assert len(simlib.load("KTH")) == 50
    assert (downloads / "KTH.swf.gz").read_bytes().startswith(b"; MaxProcs")


def endless(request):
    """How a server answers that never stops."""
    request.send_response(200)
    request.end_headers()
    block = b" " * 100_000
    try:
        while not request.server.over.is_set():
            request.wfile.write(block)
    except OSError:
        pass  # nobody listens any more


def drip(at_once=b"HTTP/1.0 200 OK\r\n\r\n"):
    """How a server answers that sends a byte now and then."""

    def reply(request):
        request.wfile.write(at_once)
        try:
            while not request.server.over.wait(0.02):
                request.wfile.write(b"x")
        except OSError:
            pass

    return reply


def elsewhere_endlessly(request):
    request.wfile.write(b"HTTP/1.0 302 Found\r\nLocation: /\r\n\r\n")
    endless(request)


WRONG = facts(TAMPERED)["sha256"][:12], facts(GOOD)["sha256"][:12]
DAMAGED = r"the gzip file is (truncated|damaged).*; [\d,]+ bytes of text can be read; get it again"
NO_LOG = r"found a page of a web server .+"

FAULTS = {
    "not there": (answer(b"no such log", 404), "the archive answered 404"),
    "out of order": (answer(b"try later", 503), "the archive answered 503"),
    "hangs up": (hang_up, "the archive cannot be reached, or does not answer"),
    "never answers": (silence, "the archive cannot be reached, or does not answer"),
    "breaks off": (answer(packed(GOOD)[:100], length=1000), "the archive broke off"),
    "falls silent": (fall_silent, "the archive cannot be reached, or does not answer"),
    "truncated": (answer(packed(GOOD)[:100]), DAMAGED),
    "damaged": (answer(packed(GOOD)[:100] + b"?" + packed(GOOD)[101:]), DAMAGED),
    "empty": (answer(b""), "found an empty file, expected a log"),
    "a web page": (answer(PAGE), NO_LOG),
    "too short": (answer(packed(CLEANED)), "found 45 job lines, expected 50: not the original log"),
    "another log": (
        answer(packed(TAMPERED)),
        r"job lines have SHA-256 {}\.\.\., expected {}\.\.\.: not the original log".format(*WRONG),
    ),
    "moved in circles": (answer(b"", 302, Location="/"), r"the download failed \(TooManyRedirects\)"),
    "endless": (endless, "found more than 100,000 bytes, expected a log that is smaller"),
    "too large": (answer(b" " * 100_001), "found more than 100,000 bytes, expected a log that is smaller"),
    "drips": (drip(), "the download was not done after 0.5 s"),
    "drips a header": (drip(b"HTTP/1.0 200 OK\r\nX-Y: "), "the download was not done after 0.5 s"),
    "elsewhere, endlessly": (elsewhere_endlessly, r"the download failed \(TooManyRedirects\)"),
    "no address": (answer(b"", 302, Location="http://[::1"), r"the download failed \(ValueError\)"),
    "a bomb": (answer(gzip.compress(b" " * 5_000_000)), "found more than 1,000,000 bytes of text, expected a log .*"),
}


@pytest.mark.parametrize("reply, complaint", FAULTS.values(), ids=FAULTS)
def test_a_download_that_fails_says_why_and_leaves_nothing_behind(
    small, site, downloads, monkeypatch, reply, complaint
):
    monkeypatch.setattr(archive, "TIMEOUT", 0.3 if "does not answer" in complaint else 20)
    monkeypatch.setattr(archive, "LONGEST", 0.5 if "not done" in complaint else 60)
    site.reply = reply
    message = refusal(simlib.load, "KTH")
    assert re.fullmatch(re.escape(f"KTH: {site.url}/l_kth/KTH.swf.gz: ") + complaint, message)
    assert listing(downloads) == []
    assert archive.find("KTH") is None


def unused_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize("host", ["127.0.0.1", "archive.invalid"], ids=["connection refused", "no such host"])
def test_without_the_archive_it_is_said_to_be_out_of_reach(small, downloads, monkeypatch, host):
    base = f"http://{host}:{unused_port()}"
    monkeypatch.setenv("SIMLIB_ARCHIVE", base)
    with pytest.raises(archive.Unreachable) as error:
        simlib.load("KTH")
    assert str(error.value) == f"KTH: {base}/l_kth/KTH.swf.gz: the archive cannot be reached, or does not answer"
    assert listing(downloads) == []


@pytest.mark.parametrize(
    "base, shown, kind",
    [
        ("nonsense", "nonsense", "MissingSchema"),
        ("http://user:secret@[::1", "http://[::1", "InvalidURL"),
        ("http://user:secret@", "http://", "InvalidURL"),
        ("user:secret@x", "x", "InvalidSchema"),
    ],
)
def test_an_address_that_makes_no_sense_is_told_without_its_password(small, monkeypatch, base, shown, kind):
    monkeypatch.setenv("SIMLIB_ARCHIVE", base)
    assert refusal(archive.fetch, "KTH") == f"KTH: {shown}/l_kth/KTH.swf.gz: the download failed ({kind})"


def test_a_folder_that_cannot_be_written_is_told(small, site, downloads):
    downloads.write_text("a file")
    assert re.fullmatch(
        rf"KTH: {site.url}/.*: cannot be kept in {downloads}: (File exists|Not a directory)",
        refusal(simlib.load, "KTH"),
    )


@pytest.mark.parametrize("name, variant, what", [("KTH", "reconstructed", "reconstructed"), ("MINE", None, "this log")])
def test_what_the_archive_does_not_have_is_not_asked_for(small, site, name, variant, what):
    message = refusal(simlib.load, name, variant)
    assert message == f"{name}: {what} cannot be downloaded; see {paths.DATA / 'archive.toml'}"
    assert site.asked == []


# The twin in place of a log


@pytest.fixture
def twins(monkeypatch, small):
    """The logs of the small catalogue have twins, all the same."""
    table = paths.DATA / "models" / "twins" / "KTH-SP2.toml"
    monkeypatch.setattr(archive, "twin_table", lambda name: table)


@pytest.mark.slow
def test_a_log_that_cannot_be_had_is_replaced_by_its_twin_with_one_warning(twins, site, downloads):
    site.reply = hang_up
    with pytest.warns(UserWarning) as warned:
        w = simlib.load("KTH")
    (message,) = (str(warning.message) for warning in warned)
    assert message.startswith("KTH: SYNTHETIC: using a made-up twin, for the log is not here and cannot be had (KTH: ")
    assert "the archive cannot be reached" in message
    assert "To use the log: python -m simlib fetch KTH, or put KTH.swf.gz into a folder that SIMLIB_TRACES" in message
    assert warned[0].filename == __file__
    assert w.stand_in and w.source["variant"] == "twin" and w.name == "KTH"
    assert simlib.load("KTH").equals(w)  # and does not warn, which would be an error here
    assert listing(downloads) == []


def test_an_archive_that_cannot_be_reached_is_asked_once(twins, site):
    site.reply = hang_up
    for name in ("KTH", "CTC"):
        with pytest.warns(UserWarning, match=f"^{name}: SYNTHETIC"):
            assert simlib.load(name).stand_in
    assert len(site.asked) == 1
    assert "was not asked again" in refusal(simlib.load, "KTH", "cleaned")
    assert len(site.asked) == 1
    site.reply = answer(packed(GOOD))
    archive.fetch("KTH")  # who asks for it gets it
    assert not simlib.load("KTH").synthetic


def test_an_archive_that_lacks_one_log_is_asked_for_another(twins, site):
    site.reply = answer(b"no such log", 404)
    for name, why in (("KTH", "the archive answered 404"), ("CTC", "404"), ("MINE", "cannot be downloaded")):
        with pytest.warns(UserWarning, match=f"^{name}: SYNTHETIC.*{why}"):
            assert simlib.load(name).stand_in
    assert len(site.asked) == 2


def test_a_variant_that_was_asked_for_is_never_replaced(twins, site):
    site.reply = answer(b"no such log", 404)
    for variant in ("original", "cleaned", "reconstructed"):
        with pytest.raises(ArchiveError):
            simlib.load("KTH", variant)


def test_a_file_that_is_here_is_not_replaced_but_by_a_twin_that_is_asked_for(twins, site, mine):
    keep(mine, "KTH.swf.gz", GOOD)
    assert not simlib.load("KTH").synthetic
    assert simlib.load("KTH", "twin").equals(twin.workload("KTH"))
    keep(mine, "KTH.swf.gz", TAMPERED)
    assert "not the original log; remove it" in refusal(simlib.load, "KTH")
    assert site.asked == []


# What is not the log


@pytest.mark.parametrize("name, variant", [("KTH.swf.gz", None), ("KTH-beta.swf.gz", "unseen")])
def test_what_is_made_up_is_refused_in_a_logs_place(small, site, mine, downloads, name, variant):
    expected = f"its header says SYNTHETIC, it is made up: not the {variant or 'original'} log"
    made_up = gzip.compress(f"; MaxProcs: 99\n{GOOD[0]}\n;note: Synthetic\n".encode() + "\n".join(GOOD[1:]).encode())
    site.reply = answer(made_up)
    assert refusal(simlib.load, "KTH", variant) == f"KTH: {site.url}/l_kth/{name}: {expected}"
    assert listing(downloads) == []
    (mine / name).write_bytes(made_up)
    assert refusal(simlib.load, "KTH", variant) == f"{mine / name}: {expected}; remove it"
    (mine / "MINE.swf.gz").write_bytes(packed(GOOD))
    assert simlib.load("MINE").synthetic  # the catalogue says so


def test_a_file_whose_digest_is_not_known_is_called_not_verified(small, site, mine, downloads, capsys):
    assert main(["fetch", "CTC"]) == 0
    mark = " (not verified: its digest is not known)\n"
    assert f"CTC: {downloads / 'CTC.swf.gz'}{mark}" in capsys.readouterr().out
    keep(mine, "KTH.swf.gz", GOOD)
    assert main(["logs"]) == 0
    out = capsys.readouterr().out
    assert f"original: {downloads / 'CTC.swf.gz'}{mark}" in out and f"{mine / 'KTH.swf.gz'}\n" in out
    assert (simlib.load("CTC").source["verified"], simlib.load("KTH").source["verified"]) == (False, True)


def test_what_a_log_of_the_catalogue_says_of_itself_is_warned_of(small, mine):
    keep(mine, "KTH.swf.gz", GOOD)
    no_time = [line.replace(" 90 ", " -1 ") for line in GOOD]
    keep(mine, "KTH-beta.swf.gz", no_time)
    assert simlib.load("KTH").unestimated == 0
    with pytest.warns(LogWarning, match="KTH: 50 of 50 jobs have no requested time") as warned:
        assert simlib.load("KTH", "unseen").unestimated == 50
    assert warned[0].filename == __file__


def test_the_catalogues_clock_takes_the_place_of_one_that_cannot_be_read(small, mine):
    (mine / "CTC.swf.gz").write_text("; UnixStartTime: soon\n; TimeZoneString: there\n" + "\n".join(GOOD))
    assert str(simlib.load("CTC").start) == "1996-06-26 17:06:00-04:00"


# Bounded


def test_a_log_can_have_a_limit_of_its_own(small, monkeypatch, site):
    monkeypatch.setitem(CATALOGUE["logs"]["KTH"], "limit", len(packed(GOOD)) - 1)
    assert "expected a log that is smaller" in refusal(simlib.load, "KTH")
    monkeypatch.setitem(CATALOGUE["logs"]["KTH"], "limit", len(packed(GOOD)))
    assert len(simlib.load("KTH")) == 50


def test_a_download_has_the_mode_of_any_new_file(small, site, downloads):
    before = os.umask(0o027)
    try:
        archive.fetch("KTH")
    finally:
        os.umask(before)
    assert (downloads / "KTH.swf.gz").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("reply", [answer(b"", 404), hang_up, answer(PAGE), answer(b"", 302, Location="http://[::1")])
def test_a_password_in_the_address_is_sent_and_never_shown(small, site, monkeypatch, reply):
    monkeypatch.setenv("SIMLIB_ARCHIVE", site.url.replace("://", "://user:p@ss/word@").replace("/word", ""))
    site.reply = reply
    for _ in range(2):
        message = refusal(simlib.load, "KTH")
        assert message.startswith(f"KTH: {site.url}") and "user" not in message and "ss" not in message.split(": ")[1]


# Finding


def test_the_users_folder_is_looked_in_before_the_downloads(small, mine, downloads):
    theirs = keep(downloads, "KTH.swf.gz", GOOD)
    assert archive.find("KTH")[0] == theirs
    own = keep(mine, "KTH.swf.gz", GOOD)
    assert archive.find("KTH")[0] == own
    assert simlib.load("KTH").source["path"] == str(own)


def test_a_better_variant_counts_before_a_nearer_folder(small, mine, downloads):
    keep(mine, "KTH-cln.swf.gz", CLEANED)
    assert archive.find("KTH")[1].variant == "cleaned"
    keep(downloads, "KTH-mine.swf.gz", GOOD)
    assert archive.find("KTH")[1].variant == "reconstructed"
    keep(downloads, "KTH.swf.gz", GOOD)
    assert archive.find("KTH")[1].variant == "original"
    assert archive.find("KTH", "cleaned")[0] == mine / "KTH-cln.swf.gz"


def test_the_users_folder_can_be_relative_to_the_checkout(small, monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setenv("SIMLIB_TRACES", "some/logs")
    (tmp_path / "some").mkdir()
    kept = keep(tmp_path / "some" / "logs", "KTH.swf.gz", GOOD)
    assert archive.find("KTH")[0] == kept


@pytest.mark.parametrize("name", ["file", "x" * 256])
def test_a_users_folder_that_is_none_is_told(small, monkeypatch, tmp_path, name):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SIMLIB_TRACES", str(tmp_path / name))
    message = f"SIMLIB_TRACES: found '{tmp_path / name}', expected a folder that exists"
    assert refusal(archive.find, "KTH") == refusal(simlib.load, "KTH") == message


def test_a_file_that_is_here_is_verified_too_and_again_when_it_has_changed(small, mine, downloads):
    keep(downloads, "KTH.swf.gz", GOOD)
    path = keep(mine, "KTH.swf.gz", GOOD)
    assert archive.find("KTH")
    for content, complaint in (packed(TAMPERED), "job lines have SHA-256 .* original log"), (PAGE, NO_LOG):
        path.write_bytes(content)
        os.utime(path, (1, 1))
        for action in (archive.find, simlib.load):
            assert re.fullmatch(re.escape(f"{path}: ") + complaint + "; remove it", refusal(action, "KTH"))
        assert path.read_bytes() == content


def test_comments_and_layout_do_not_matter_to_verification(small, mine):
    (mine / "KTH.swf.gz").write_text("; another header\n" + "\r\n".join(GOOD).replace(" ", "\t"))
    assert len(simlib.load("KTH")) == 50


def test_an_unknown_name_is_refused_with_the_known_ones(small, capsys):
    expected = "no log 'XYZ' in the catalogue; known are KTH, CTC, MINE (any file: simlib.read_swf)"
    for action in (archive.find, archive.fetch, archive.entry):
        assert refusal(action, "XYZ") == expected
    assert main(["fetch", "XYZ"]) == 1
    assert capsys.readouterr().err == f"{expected}\n"
    assert "found no such file, and no such name in the catalogue" in refusal(simlib.load, "XYZ")


def test_an_unknown_variant_is_refused_with_the_known_ones(small):
    expected = "KTH: no variant 'pure'; known are original, reconstructed, cleaned, unseen"
    for action in (simlib.load, archive.find, archive.fetch, archive.files):
        assert refusal(action, "KTH", "pure") == expected


# Names and paths


def test_a_log_is_loaded_by_its_path_by_its_name_and_by_what_the_papers_call_it(log, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.swf.gz").write_bytes((archive.paths.DATA / "samples" / "sample.swf.gz").read_bytes())
    for path in ("mine.swf.gz", tmp_path / "mine.swf.gz"):
        assert simlib.load(path).name == "mine" and len(simlib.load(path)) == 6000
    assert (
        refusal(simlib.load, "mine.swf.gz", "cleaned")
        == "mine.swf.gz: found variant 'cleaned' of a file, expected none"
    )
    assert log("KTH-SP2").equals(simlib.load("KTH"))


def test_what_the_papers_call_several_logs_is_refused_with_their_names():
    assert (
        refusal(simlib.load, "Par") == "Par: the papers call several logs so; expected one of SDSC-Par-95, SDSC-Par-96"
    )


# The command line


def test_logs_lists_what_is_known_and_what_is_here(small, mine, capsys):
    keep(mine, "KTH-cln.swf.gz", CLEANED)
    keep(mine, "CTC.swf.gz", CLEANED)
    assert main(["logs"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[:2] == ["KTH   A small machine", f"cleaned: {mine / 'KTH-cln.swf.gz'}"]
    assert lines[3].startswith(f"UNUSABLE: {mine / 'CTC.swf.gz'}: found 45 job lines")
    assert lines[4:6] == ["MINE  Not in the archive", "not here"]
    assert lines[-1].endswith("A. Author, 1999")


def test_fetch_downloads_what_is_not_here_and_says_whom_to_thank(small, site, downloads, capsys):
    assert main(["fetch", "KTH"]) == 0
    assert capsys.readouterr() == (f"KTH: {downloads / 'KTH.swf.gz'}\n  Thanks to B. Builder.\n", "")
    assert main(["fetch", "KTH"]) == 0
    assert capsys.readouterr() == ("KTH: here already\n", "")
    assert len(site.asked) == 1


def test_fetch_without_names_tries_all_and_fails_if_one_cannot_be_had(small, site, downloads, capsys):
    good = answer(packed(GOOD))
    site.reply = lambda request: (answer(b"", 404) if "KTH" in request.path else good)(request)
    assert main(["fetch"]) == 1
    assert listing(downloads) == ["CTC.swf.gz"]
    out, err = capsys.readouterr()
    missed, cannot = err.splitlines()
    assert out.count("Thanks to") == 1 and missed.startswith("KTH: ") and missed.endswith("answered 404")
    assert cannot.startswith("MINE: this log cannot be downloaded; ")


def test_fetch_gives_up_where_the_archive_does_not_answer(small, site, monkeypatch, capsys):
    monkeypatch.setattr(archive, "TIMEOUT", 0.3)
    site.reply = silence
    assert main(["fetch", "KTH", "CTC"]) == 1
    assert site.asked == ["/l_kth/KTH.swf.gz"]
    assert capsys.readouterr().err.endswith("does not answer; not trying the others\n")


@pytest.mark.slow
def test_the_commands_run_as_a_program(tmp_path):
    if archive.find("ANL-Intrepid"):
        pytest.skip("ANL-Intrepid is here, so that it would not be fetched")
    surroundings = {
        "NO_PROXY": "*",
        "SIMLIB_TRACES": str(tmp_path),
        "SIMLIB_ARCHIVE": f"http://127.0.0.1:{unused_port()}",
    }
    command = [sys.executable, "-m", "simlib", "fetch", "sample", "ANL-Intrepid"]
    done = subprocess.run(command, env=os.environ | surroundings, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "sample: here already\n")
    assert done.stderr.endswith("the archive cannot be reached, or does not answer; not trying the others\n")
    assert "Traceback" not in done.stderr


# The real catalogue


@pytest.mark.parametrize("name", archive.catalogue()["logs"])
def test_the_catalogue_tells_all_about_a_log(name):
    about = archive.entry(name)
    assert about["title"] and about["acknowledgement"].endswith(".")
    assert about["procs"] > 0
    assert about["estimates"] in ("user", "exact")
    assert ZoneInfo(about["timezone"])
    files = archive.files(name)
    assert len({file.file for file in files}) == len({file.variant for file in files}) == len(files) > 0
    assert name != "CEA-Curie" or files[0].variant == "cleaned"  # as the archive advises
    for file in files:
        assert file.file.endswith(".swf.gz")
        assert file.lines is None or file.lines > 0
        assert file.sha256 is None or re.fullmatch("[0-9a-f]{64}", file.sha256) and file.lines


def test_the_catalogue_names_the_archive_and_its_citation():
    assert archive.catalogue()["base"].startswith("https://www.cs.huji.ac.il/")
    assert "Feitelson" in archive.catalogue()["citation"]
    recorded = [about for about in archive.catalogue()["logs"].values() if not about.get("synthetic")]
    assert len(recorded) >= 15
    assert all(("folder" in about) != ("page" in about and "how" in about) for about in recorded)


def test_a_log_without_a_twin_is_missed_and_not_made_up(no_logs, capsys):
    assert not archive.has_twin("HPC2N")
    assert re.match("HPC2N: .* the archive (cannot|could not) be reached", refusal(simlib.load, "HPC2N"))
    assert main(["logs"]) == 0
    assert "HPC2N         High Performance" in (out := capsys.readouterr().out) and out.count("not here") == 15


def test_the_sample_is_always_here_and_says_that_it_is_made_up():
    w = simlib.load("sample")
    assert w.synthetic and "SYNTHETIC" in repr(w)
    assert len(w) > 1000 and w.procs == 128
    assert w.with_estimates("exact").synthetic
    assert "sample: has no twin" in refusal(simlib.load, "sample", "twin")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, variant, jobs, dropped",
    [
        ("KTH-SP2", "original", 28489, 1),
        ("KTH-SP2", "cleaned", 28475, 1),
        ("CTC-SP2", "cleaned", 77222, 0),
        ("SDSC-SP2", "reconstructed", 67665, 5671),
        ("SDSC-SP2", "cleaned", 54044, 5671),
        ("SDSC-Par-96", "cleaned", 32135, 0),
        ("LANL-CM5", "cleaned", 122057, 3),
        ("SDSC-DS", "cleaned", 85045, 11024),
        ("CEA-Curie", "cleaned", 301914, 10912),
        ("SDSC-BLUE", "cleaned", 223663, 19643),
        ("HPC2N", "cleaned", 202871, 0),
        ("LLNL-Atlas", "cleaned", 39190, 4588),
        ("Sandia-Ross", "cleaned", 57867, 15),
    ],
)
def test_real_logs_have_the_jobs_they_should(log, name, variant, jobs, dropped):
    w = log(name, variant)
    assert (len(w), len(w.dropped), w.source["variant"]) == (jobs, dropped, variant)
    assert w.procs == archive.entry(name)["procs"]
