"""Read the text of a file, plain or compressed; or say what the file is instead, and the command that makes it right.

The content decides, not the name.
"""

import bz2
import codecs
import importlib
import lzma
import os
import re
import shlex
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tarfile import TarError, TarInfo
from typing import Any

LIMIT = 2 * 2**30
"""Bytes that a log may have once decompressed: three to four times the largest one of the archive."""

PACKED = re.compile(r"\.(gz|bz2|xz|lzma|zst)$")
"""The endings of names of compressed files, which the names of logs go without."""

_BLOCK = 2**24  # bytes read at a time
_HEAD = 4096  # bytes that tell what a file is


class SWFError(ValueError):
    """A log that cannot be read; the message names the file, the line and field, and what was expected."""


def read_bytes(path: str | Path, limit: int = LIMIT) -> bytes:
    """Read a plain or compressed text (gzip, bzip2, xz, zstd) as bytes, its lines ended by line feeds.

    SWFError if it cannot be read, is no file (reading a pipe could wait for ever), is empty, is larger than `limit`, or
    is no text; if it is known what it is instead, the message says so, and what to do.
    """
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise SWFError(f"{path}: found a folder, expected a file")
        if not stat.S_ISREG(mode):
            raise SWFError(f"{path}: found a pipe or a device, expected a file; write it to one first")
        with open(path, "rb") as file:
            head = file.read(_HEAD)
            file.seek(0)
            _refuse_other(head, path)
            packing = next((name for name, (magic, _) in _PACKINGS.items() if re.match(magic, head)), None)
            if packing:
                blocks = _unpacked(file.read(), _decompressor(packing, path), f"{path}: the {packing} file")
            else:
                blocks = iter(lambda: file.read(_BLOCK), b"")
            data = _joined(blocks, path, limit)
    except OSError as error:
        raise SWFError(f"{path}: cannot be read: {error.strerror}") from None
    except SWFError:
        raise
    except ValueError as error:  # a NUL in the path, or a character that no file system has
        raise SWFError(f"{str(path)!r}: cannot be read: {error}") from None
    if not (data := _with_line_feeds(data)):
        raise SWFError(f"{path}: found an empty file, expected a log")
    return data


@contextmanager
def memory_errors_name(path: str | Path) -> Iterator[None]:
    """Raise an SWFError that names the file if the block runs out of memory."""
    try:
        yield
    except MemoryError:
        raise SWFError(f"{path}: found more than this machine's memory holds, expected a log that is smaller") from None


# What a file may be instead of a text.

_TABLE = "save it as CSV or Parquet, and read that: simlib from-table, or simlib.read_table"
_AGAIN = "get the file itself, not a page about it"
_ICONV = "iconv -f {} -t UTF-8 {{file}} > NEW.txt; PowerShell writes UTF-8 by: ... | Out-File -Encoding utf8 NEW.txt"
_SQL = "sqlite3 -csv -header {file} 'SELECT * FROM ...' > jobs.csv, then simlib from-table"

_OTHERS = (
    (rb"\s*version https://git-lfs", "a pointer of Git LFS, not the file itself", "git lfs pull"),
    (rb"\S*/annex/objects/", "a pointer of git-annex, not the file itself", "git annex get {file}"),
    (rb"outs:\s+- md5:", "a pointer of DVC, not the file itself", "dvc pull"),
    (rb"(?i)\s*<(!doctype|!--|html|head|body|\?xml)", "a page of a web server (HTML or XML)", _AGAIN),
    (rb"\xff\xfe\0\0|\0\0\xfe\xff", "text in UTF-32", _ICONV.format("UTF-32")),
    (rb"\xff\xfe|\xfe\xff", "text in UTF-16", _ICONV.format("UTF-16")),
    (rb"([^\0]\0\0\0){4}", "text in UTF-32", _ICONV.format("UTF-32LE")),
    (rb"(\0\0\0[^\0]){4}", "text in UTF-32", _ICONV.format("UTF-32BE")),
    (rb"([^\0]\0){8}", "text in UTF-16", _ICONV.format("UTF-16LE")),
    (rb"(\0[^\0]){8}", "text in UTF-16", _ICONV.format("UTF-16BE")),
    (
        rb"PK\x03\x04.{26}(\[Content_Types|_rels/|docProps/|xl/|mimetype)",
        "a document, such as of Excel",
        _TABLE,
    ),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a document, such as of Excel", _TABLE),
    (rb"PK(\x03\x04|\x05\x06|\x07\x08)", "a zip archive", "unzip {file}, and name the log that was in it"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive", "7z x {file}, and name the log that was in it"),
    (rb"Rar!\x1a\x07", "a rar archive", "unrar x {file}, and name the log that was in it"),
    (rb"\x1f[\x9d\xa0\x1e]", "a file packed by compress", "gzip -dc {file} > NEW.swf"),
    (rb"\x04\x22M\x18", "an lz4 file", "lz4 -dc {file} > NEW.swf"),
    (rb"LZIP", "an lzip file", "lzip -dc {file} > NEW.swf"),
    (rb"PAR1", "a Parquet table", "simlib from-table {file} NEW.swf.gz, or simlib.read_table"),
    (rb"SQLite format 3\0", "an SQLite database", _SQL),
    (rb"\x89HDF|ARROW1|ORC|Obj\x01|\x93NUMPY|\x80[\x02-\x05]|RD[AX][23]\n", "a table in a binary format", _TABLE),
    (rb"--\s+(MySQL|MariaDB|PostgreSQL)", "a dump of a database", "query the database; " + _TABLE),
    (rb"%PDF|\x89PNG|\xff\xd8\xff|GIF8|\{\\rtf", "a document or a picture", "save its text as a plain text file"),
)
"""The first bytes of a file, what it is, and what to do."""


def _refuse_other(head: bytes, path: str | Path, unpacked: bool = False) -> None:
    """Raise SWFError if the first bytes of a file tell what it is instead of a text."""
    name, inside = shlex.quote(str(path)), " inside a compressed file" * unpacked
    text = head.removeprefix(codecs.BOM_UTF8)
    found = next(((what, right) for magic, what, right in _OTHERS if re.match(magic, text, re.S)), None)
    if unpacked and any(re.match(magic, head) for magic, _ in _PACKINGS.values()):
        found = "a compressed file", "decompress {file} once"
    with suppress(TarError):  # it has a check sum
        TarInfo.frombuf(head[:512], "utf-8", "surrogateescape")
        found = "a tar archive", "tar -xf {file}, and name the log that was in it"
    if found:
        raise SWFError(f"{path}: found {found[0]}{inside}, expected plain text; {found[1].format(file=name)}")


# Decompress a file, with bounded memory.


class _Pieces:
    """A decompressor of the package zstandard, which has no bound; few bytes at a time give at most some megabytes."""

    def __init__(self, part: Any) -> None:
        self._part, self.unconsumed_tail = part, b""

    def decompress(self, data: bytes, _: int) -> bytes:
        """Decompress the first of these bytes."""
        data = memoryview(data)  # type: ignore[assignment]  # of which slices are free
        self.unconsumed_tail = data[256:]
        return self._part.decompress(data[:256])

    @property
    def eof(self) -> bool:
        """Whether the end of the stream was reached."""
        return self._part.eof

    @property
    def unused_data(self) -> bytes:
        """What is behind the end of the stream."""
        return self._part.unused_data + bytes(self.unconsumed_tail)


def _zstd() -> Any:
    try:
        return importlib.import_module("compression.zstd").ZstdDecompressor()  # Python 3.14
    except ImportError:
        return _Pieces(importlib.import_module("zstandard").ZstdDecompressor().decompressobj())


_PACKINGS: dict[str, tuple[bytes, Callable[[], Any]]] = {
    "gzip": (rb"\x1f\x8b", lambda: zlib.decompressobj(wbits=31)),
    "bzip2": (rb"BZh[1-9]", bz2.BZ2Decompressor),
    "xz": (rb"\xfd7zXZ\0|\]\0\0.\0?", lzma.LZMADecompressor),
    "zstd": (rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18", _zstd),
}
"""By name the first bytes of a compressed file, and what makes a decompressor."""


def _decompressor(packing: str, path: str | Path) -> Callable[[], Any]:
    make = _PACKINGS[packing][1]
    try:
        make()
    except ImportError:
        raise SWFError(
            f"{path}: found a zstd file, which this Python cannot read; zstd -d {shlex.quote(str(path))}, "
            "or pip install zstandard"
        ) from None
    return make


def _unpacked(data: bytes, decompressor: Callable[[], Any], what: str) -> Iterator[bytes]:
    """Decompress one stream after another, block by block; the modules' own files pass over a damaged later one."""
    size = 0
    while data:
        part = decompressor()
        while not part.eof:
            try:
                block = part.decompress(data, _BLOCK)
            except MemoryError:
                raise
            except Exception as error:  # each module has its own
                raise SWFError(
                    f"{what} is damaged ({error}); {size:,} bytes of text can be read; get it again"
                ) from None
            data = getattr(part, "unconsumed_tail", b"")  # the others keep it themselves
            if block:
                size += len(block)
                yield block
            elif not (data or part.eof) and getattr(part, "needs_input", True):
                raise SWFError(f"{what} is truncated; {size:,} bytes of text can be read; get it again")
        data = bytes(part.unused_data).lstrip(b"\0")


def _joined(parts: Iterable[bytes], path: str | Path, limit: int) -> bytes:
    """Join the blocks of a text; raise SWFError as soon as there are too many bytes, or a NUL."""
    blocks: list[bytes] = []
    size = 0
    for block in parts:
        if not blocks:
            _refuse_other(block[:_HEAD], path, unpacked=True)
        blocks.append(block)
        size += len(block)
        if b"\0" in block:
            number = 1 + _with_line_feeds(b"".join(blocks).partition(b"\0")[0]).count(b"\n")
            raise SWFError(f"{path}: line {number}: found binary data, expected text")
        if size > limit:
            raise SWFError(f"{path}: found more than {limit:,} bytes of text, expected a log that is smaller")
    return b"".join(blocks)


def _with_line_feeds(data: bytes) -> bytes:
    """End each line with a line feed, replace rarer white space by blanks, and remove byte order marks before lines."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\v" in data or b"\f" in data:
        data = data.translate(bytes.maketrans(b"\v\f", b"  "))
    if codecs.BOM_UTF8 in data:  # inside, too, where several files were joined
        data = re.sub(rb"^(?:\xef\xbb\xbf)+", b"", data, flags=re.M)
    return data
