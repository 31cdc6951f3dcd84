"""A server on this machine that answers as badly as servers can, in place of the archive.

Each download is made by a process of its own. It must end in time with one line that says why, leave nothing behind,
use little memory, and show no password.
"""

import gzip
import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from simlib import ArchiveError
from simlib.logs import archive, swf

from .attack import bomb, folder_for_files, last_line, python, try_each, try_random
from .logs import small_log

SECONDS = 60
"""Within which a download that fails must have ended, where the limits in time are as in `FETCH`."""

MEMORY = 700
"""MiB that a download may take at most; importing the package takes some 200 of them."""

FETCH = """
import json, os, resource, sys, pathlib, warnings
import simlib
from simlib.logs import archive
from simlib._util import paths
paths.TRACES = pathlib.Path(sys.argv[1])
archive.TIMEOUT = 2
archive.LONGEST = 8
known = archive.catalogue() | json.loads(sys.argv[2])
archive.catalogue = lambda: known
said = ""
try:
    archive.fetch(sys.argv[3])
except archive.ArchiveError as error:
    said = str(error)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps({"said": said, "peak": peak}))
"""


def catalogue(**file):
    """The part of a catalogue with one small log, as the JSON that `FETCH` takes."""
    about = {"title": "A machine", "folder": "l", "procs": 64, "timezone": "UTC", "acknowledgement": "Thanks."}
    about["files"] = [{"file": "A.swf.gz", "variant": "original"} | file]
    return json.dumps({"logs": {"A": about}})


# How it answers


def body(data, status=200, length=None, **headers):
    """An answer with a body, and any length said to be its length."""

    def reply(request):
        request.send_response(status)
        if length is not False:
            request.send_header("Content-Length", str(len(data) if length is None else length))
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(data)
        request.close_connection = True

    return reply


def elsewhere(place):
    def reply(request):
        body(b"", 302, Location=place.format(port=request.server.server_port))(request)

    return reply


def endless(chunk, length=None, pause=0.0):
    """A body without end."""

    def reply(request):
        request.send_response(200)
        if length:
            request.send_header("Content-Length", str(length))
        request.end_headers()
        while not request.server.over.wait(pause) if pause else not request.server.over.is_set():
            request.wfile.write(chunk)
        request.close_connection = True

    return reply


def many_headers(request):
    request.send_response(200)
    for k in range(10_000):
        request.send_header(f"X-{k}", "x" * 60)
    request.end_headers()


def broken_status(request):
    request.wfile.write(b"HTTP/9.9 twohundred fine\r\n\r\n" + b"x" * 100)
    request.close_connection = True


def no_http(request):
    request.wfile.write(b"\x00\x01\x02" * 1000)
    request.close_connection = True


def half_a_header(request):
    request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Le")
    request.close_connection = True


def chunks_that_are_none(request):
    request.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\nhello\r\n")
    request.close_connection = True


def wrongly_encoded(request):
    body(b"this is not gzip", Content_Encoding="gzip")(request)


def silence(request):
    request.server.over.wait(20)


GOOD = gzip.compress(b"; MaxProcs: 4\n1 0 -1 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n", mtime=0)
PAGE = b"<!DOCTYPE html>\n<html><body><p>Please sign in</body></html>\n"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def do_GET(self):
        try:
            self.server.reply(self)
        except OSError:  # the other side has had enough
            self.close_connection = True

    def log_message(self, *_):
        pass


@contextmanager
def serving(reply):
    """A server that always answers so; gives its port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.reply, server.over, server.daemon_threads = reply, threading.Event(), True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.over.set()
            server.shutdown()


# The attacks

ANSWERS = {
    "cut short": body(GOOD[:-20]),
    "shorter than it says": body(GOOD[:30], length=1000),
    "longer than it says": body(GOOD, length=len(GOOD) - 9),
    "a negative length": body(GOOD[:9], length=-5),
    "a length that is no number": body(GOOD[:9], length="many"),
    "an enormous length": body(GOOD[:9], length=10**18),
    "wrong bytes": body(bytes(range(256)) * 40),
    "zeros": body(bytes(10_000)),
    "nothing": body(b""),
    "a page": body(PAGE, Content_Type="text/html"),
    "a page, compressed": body(gzip.compress(PAGE)),
    "another log, flipped": body(GOOD[:40] + bytes([GOOD[40] ^ 1]) + GOOD[41:]),
    "404": body(PAGE, 404),
    "403": body(PAGE, 403),
    "500": body(PAGE, 500),
    "503": body(b"", 503),
    "204": body(b"", 204),
    "304": body(b"", 304),
    "418, without end": endless(b"x" * 2**16),
    "redirect to [": elsewhere("http://[::1"),
    "redirect to a bad port": elsewhere("http://127.0.0.1:99999/"),
    "redirect to a bad host": elsewhere("http://a..b/"),
    "redirect to a file": elsewhere("file:///etc/hostname"),
    "redirect to ftp": elsewhere("ftp://127.0.0.1/A.swf.gz"),
    "redirect to nothing": elsewhere(""),
    "redirect to a control character": elsewhere("http://127.0.0.1:{port}/\x01\x7f"),
    "redirect to itself": elsewhere("http://127.0.0.1:{port}/again"),
    "redirect to a very long host": elsewhere("http://" + "a" * 300 + ".example/"),
    "redirect to nobody": elsewhere("http://127.0.0.1:9/"),
    "endless lines": endless(b"1 0 -1 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n" * 1000),
    "endless zeros": endless(bytes(2**16)),
    "endless, compressed": endless(bomb("blanks", 16)),
    "dripping": endless(b"x", 10**6, pause=0.5),
    "dripping without a length": endless(b";", pause=0.5),
    "silence": silence,
    "ten thousand headers": many_headers,
    "a broken status line": broken_status,
    "no HTTP": no_http,
    "half a header": half_a_header,
    "chunks that are none": chunks_that_are_none,
    "wrongly encoded": wrongly_encoded,
}

BOMBS = {
    f"{size} MiB of {kind}": (kind, size) for kind in ("blanks", "zeros", "comments", "lines") for size in (200, 6000)
}


def fetched(reply, folder, about=None, address="http://127.0.0.1:{port}", within=SECONDS, takes=MEMORY):
    """What is wrong with how a download ended that cannot succeed; None where nothing is."""
    with serving(reply) as port:
        began = time.monotonic()
        process = python(
            FETCH,
            folder,
            about or catalogue(),
            "A",
            timeout=within + 60,
            SIMLIB_ARCHIVE=address.format(port=port),
            SIMLIB_TRACES=None,
            NO_PROXY="*",
            no_proxy="*",
        )
        seconds = time.monotonic() - began
    left = [path.name for path in folder.rglob("*")]
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    if process.returncode:
        return last_line(process)
    found = json.loads(process.stdout.splitlines()[-1])
    if "secret" in process.stdout + process.stderr:
        return f"the password is shown: {found['said']}"
    if not found["said"]:
        return f"taken; {', '.join(left)} is kept"
    if "\n" in found["said"] or "\r" in found["said"]:
        return f"more than one line: {found['said']!r}"[:200]
    if left:
        return f"left behind: {', '.join(left)}"
    if found["peak"] > takes:
        return f"takes {found['peak']} MiB, expected at most {takes}"
    if seconds > within:
        return f"ends after {seconds:.0f} s, expected {within} at most"
    return None


def bad_answers(plan):
    """Answers that are no log."""
    with folder_for_files() as folder:
        cases = {name: (reply, folder) for name, reply in ANSWERS.items()}
        return try_each(
            "bad answers of a server: cut short, endless, dripping, redirected, pages, errors", cases, fetched
        )


def bombs(plan):
    """Small files of a large content."""

    def attempt(kind, size):
        return fetched(body(bomb(kind, size)), folder, takes=6000)

    with folder_for_files() as folder:
        return try_each("gzip bombs: small files of up to 6 GB of blanks, zeros, comments, empty lines", BOMBS, attempt)


def passwords(plan):
    """Addresses with a password, which no error shows."""
    with folder_for_files() as folder:
        answers = ["404", "cut short", "redirect to [", "silence", "500", "a page", "redirect to itself", "no HTTP"]
        cases = {name: (ANSWERS[name], folder, None, "http://user:secret@127.0.0.1:{port}") for name in answers}
        nobody = (
            "http://user:secret@127.0.0.1:9",
            "http://user:secret@[::1",
            "user:secret@127.0.0.1",
            "ftp://u:secret@x/",
        )
        cases |= {place: (ANSWERS["404"], folder, None, place) for place in nobody}
        return try_each("addresses with a password in SIMLIB_ARCHIVE: no error shows it", cases, fetched)


def changed_logs(plan):
    """A log whose digest is known, with some bytes changed on the way: the right jobs, or refused."""

    def attempt(rng):
        lines = [line for line in small_log(rng) if line[:1] != b";"]
        text = b"; MaxProcs: 64\n" + b"\n".join(lines) + b"\n"
        path = folder / "A.swf.gz"
        path.write_bytes(gzip.compress(text, mtime=0))
        count, digest = swf.job_lines(path)
        file = archive.File("A.swf.gz", "original", count, digest, limit=10**6)
        archive.verify(path, file)
        before = swf.read_log(path)[1]
        data = bytearray(path.read_bytes() if rng.random() < 0.5 else text)
        for _ in range(rng.integers(1, 4)):
            data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
        path.write_bytes(data[: rng.integers(len(data) + 1)] if rng.random() < 0.2 else data)
        try:
            archive.verify(path, file)
            after = swf.read_log(path)[1]
        except (ArchiveError, swf.SWFError):
            return None
        return None if before.equals(after) else f"other jobs are taken: {bytes(data).hex()[:300]}"

    with folder_for_files() as folder:
        return try_random(
            "logs of a known digest with flipped bits or cut short, in the place of downloads", plan, 4000, attempt
        )
