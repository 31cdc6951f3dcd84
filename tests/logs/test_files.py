"""What a file is: plain or compressed text is read, and anything else is named, with what makes it right."""

import bz2
import gzip
import importlib
import io
import lzma
import os
import tarfile
import tracemalloc
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib import SWFError, read_swf
from simlib.logs import files, sacct, swf

pytestmark = pytest.mark.filterwarnings("ignore::simlib.LogWarning")  # small logs lack much

JOB = " ".join(map(str, range(1, 19)))
TEXT = f"; MaxProcs: 128\n{JOB}\n".encode()


def zstd(data):
    """Pack data as zstd, with a check sum as the command does, where this Python can."""
    try:
        module = importlib.import_module("compression.zstd")
        return module.compress(data, options={module.CompressionParameter.checksum_flag: 1})
    except ImportError:
        return pytest.importorskip("zstandard").ZstdCompressor(write_checksum=True).compress(data)


def alone(data):
    """Pack data in xz's older format."""
    return lzma.compress(data, lzma.FORMAT_ALONE)


PACKERS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "lzma": alone, "zstd": zstd}
packed = pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)


def fault(path, read=read_swf, **options):
    """What reading a file complains of, after the file's name; one line."""
    with pytest.raises(SWFError) as error:
        read(path, **options)
    message = str(error.value)
    assert message.startswith(f"{path}: ") and "\n" not in message and len(message) < 2 * len(str(path)) + 250
    return message.removeprefix(f"{path}: ")


# What is read


@pytest.mark.parametrize("name", ["a.swf", "a.swf.gz", "a", "a.bz2", "a.swf.xz", "a.swf.zst"])
def test_the_content_decides_and_the_workload_is_named_after_the_file(put, name):
    for content in (TEXT, gzip.compress(TEXT), lzma.compress(TEXT)):
        w = read_swf(put(content, name))
        assert (len(w), w.name, w.source["file"]) == (1, "a", name)
    assert read_swf(w.source["path"], name="KTH").name == "KTH"


@packed
def test_compressed_files_are_read_also_of_several_parts(put, pack):
    half = len(TEXT) // 2
    assert files.read_bytes(put(pack(TEXT))) == TEXT
    assert files.read_bytes(put(pack(TEXT[:half]) + pack(TEXT[half:]))) == TEXT


@pytest.mark.parametrize("text", ["\n" + TEXT.decode(), "\n \r\n\n" + TEXT.decode(), "\ufeff" + TEXT.decode()])
def test_empty_lines_and_byte_order_marks_before_a_log_are_no_fault(put, text):
    assert len(read_swf(put(text.encode()))) == 1
    assert len(read_swf(put(2 * text.encode()))) == 2


# What is not


def archived(kind):
    """A tar archive of a log; `kind` is how it is packed, as in tarfile's modes."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=f"w:{kind}", format=tarfile.USTAR_FORMAT) as archive:
        member = tarfile.TarInfo("log.swf")
        member.size = len(TEXT)
        archive.addfile(member, io.BytesIO(TEXT))
    return file.getvalue()


def zipped(*names):
    """A zip archive of files."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, TEXT)
    return file.getvalue()


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
PAGE = b"\n<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head></html>"
EXPIRED = b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code></Error>'
WIDE = TEXT.decode()
OTHERS = {
    "zip": (zipped("log.swf"), "zip archive; unzip"),
    "Excel": (zipped("[Content_Types].xml", "xl/workbook.xml"), "Excel; CSV; from-table"),
    "old Excel": (bytes.fromhex("d0cf11e0a1b11ae1") + bytes(99), "Excel; CSV; from-table"),
    "tar": (archived(""), "tar archive; tar -xf"),
    "tar.gz": (archived("gz"), "tar archive inside a compressed file; tar -xf"),
    "tar.xz": (archived("xz"), "tar archive inside a compressed file; tar -xf"),
    "7z": (b"7z\xbc\xaf\x27\x1c\0\4" + bytes(99), "7z archive; 7z x"),
    "rar": (b"Rar!\x1a\7\1\0" + bytes(99), "rar archive; unrar"),
    "compress": (b"\x1f\x9d\x90" + bytes(99), "compress; gzip -dc"),
    "lz4": (b"\4\x22M\x18d@\xa7" + bytes(99), "lz4; lz4 -dc"),
    "packed twice": (gzip.compress(lzma.compress(TEXT)), "compressed file inside a compressed file; once"),
    "zip in gzip": (gzip.compress(zipped("log.swf")), "zip archive inside a compressed file"),
    "Git LFS": (LFS, "pointer of Git LFS; git lfs pull"),
    "git-annex": (b"../.git/annex/objects/3q/log.swf.gz", "pointer of git-annex; git annex get"),
    "HTML": (PAGE, "page of a web server"),
    "packed HTML": (gzip.compress(PAGE), "page of a web server"),
    "XML": (EXPIRED, "page of a web server"),
    "UTF-16": (WIDE.encode("utf-16"), "UTF-16; iconv -f UTF-16 -t UTF-8; Out-File -Encoding utf8"),
    "UTF-16 big": (b"\xfe\xff" + WIDE.encode("utf-16-be"), "UTF-16; iconv -f UTF-16 "),
    "UTF-16 unmarked": (WIDE.encode("utf-16-le"), "UTF-16; iconv -f UTF-16LE"),
    "UTF-16 big, unmarked": (WIDE.encode("utf-16-be"), "UTF-16; iconv -f UTF-16BE"),
    "UTF-32": (WIDE.encode("utf-32"), "UTF-32; iconv -f UTF-32 "),
    "UTF-32 unmarked": (WIDE.encode("utf-32-le"), "UTF-32; iconv -f UTF-32LE"),
    "packed UTF-16": (gzip.compress(WIDE.encode("utf-16")), "UTF-16; inside a compressed file"),
    "Parquet": (b"PAR1\x15\0\x15" + bytes(99), "Parquet; from-table; read_table"),
    "SQLite": (b"SQLite format 3\0\x10\0" + bytes(99), "SQLite; sqlite3"),
    "HDF5": (b"\x89HDF\r\n\x1a\n" + bytes(99), "binary format; CSV"),
    "PDF": (b"%PDF-1.7\n%\xe2\xe3", "document"),
    "dump": (b"-- MySQL dump 10.13\n", "dump of a database"),
    "empty": (b"", "empty file"),
    "packed nothing": (gzip.compress(b""), "empty file"),
    "only a mark": (b"\xef\xbb\xbf", "empty file"),
    "binary": (TEXT + b"\1\0\1", "line 3; binary data"),
    "other binary": (bytes(range(14, 256)) * 9, "line 1; binary data"),
}
RECORDS = set(OTHERS) - {"other binary"}  # there it is a header without columns


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_text_is_named_with_what_makes_it_right(put, name, tmp_path):
    content, words = OTHERS[name]
    path = put(content)
    messages = [fault(path)]
    if name in RECORDS:
        messages.append(fault(path, lambda path: sacct.convert(path, tmp_path / "out.swf")))
    for message in messages:
        assert all(word in message for word in words.split("; ")), message


ACCOUNTS = "JobID|Submit|Start|End|ElapsedRaw|State\n1|2|3|4|5|COMPLETED\n"
TABLE = "id,submitted,nodes,hours\n1,2,3,4\n"
FOREIGN = {
    "sacct": (ACCOUNTS, "line 1; sacct; simlib from-sacct"),
    "sacct, aligned": ("       JobID    JobName\n------- ----------\n", "line 1; sacct; simlib from-sacct"),
    "sacct, quoted": (ACCOUNTS.replace("JobID|Submit", '"JobID","Submit"'), "line 1; sacct; simlib from-sacct"),
    "sacct without header": (ACCOUNTS.partition("\n")[2], "line 1; sacct; without header; simlib from-sacct"),
    "sacct, commas": (ACCOUNTS.partition("\n")[2].replace("|", ","), "line 1; sacct; without header"),
    "sacct behind a log": (TEXT.decode() + ACCOUNTS, "line 3; sacct; simlib from-sacct"),
    "JSON": ('{\n "jobs": [\n', "line 1; JSON; simlib from-sacct"),
    "JSON lines": ('{"job": 1, "submit": 2}\n', "line 1; JSON"),
    "CSV": (TABLE, "line 1; table; read_table; simlib from-table"),
    "semicolons": (TABLE.replace(",", ";"), "line 1; table; read_table"),
    "bars": (TABLE.replace(",", "|"), "line 1; table; read_table"),
    "tabs": (TABLE.replace(",", "\t"), "line 1; table; read_table"),
    "commas": (JOB.replace(" ", ",") + "\n", "line 1; commas between the numbers; tr , ' '"),
    "hash": (f"; MaxProcs: 4\n# MaxProcs: 4\n{JOB}\n", "line 2; begins with #; sed"),
    "hash with 18 words": (f"# {' '.join(swf.FIELDS[1:])}\n{JOB}\n", "line 1; begins with #; sed"),
    "per cent": (f"% MaxProcs: 4\n{JOB}\n", "line 1; begins with %; sed"),
    "names": (" ".join(swf.FIELDS) + f"\n{JOB}\n", "line 1; names of columns; semicolon"),
    "PBS": ("03/01/2024 10:00:00;E;12.server;user=a group=b\n", "line 1; PBS; read_table"),
}


@pytest.mark.parametrize("text, words", FOREIGN.values(), ids=FOREIGN)
def test_text_that_is_no_log_is_named_with_the_command_that_converts_it(put, text, words):
    message = fault(put(text.encode()))
    assert all(word in message for word in words.split("; ")), message


def test_a_command_in_a_message_can_be_run_as_it_is(put):
    path = put(zipped("log.swf"), "a log")  # a name that a shell has to be given in quotes
    assert f"unzip '{path}'" in fault(path)


@pytest.mark.parametrize("name, words", [("none.swf", "No such file"), ("", "found a folder, expected a file")])
def test_what_is_no_file_is_told(tmp_path, name, words):
    assert words in fault(tmp_path / name)


def test_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "log.swf")
    reading, writing = os.pipe()
    for path in (tmp_path / "log.swf", f"/dev/fd/{reading}"):
        assert "found a pipe or a device, expected a file" in fault(path)
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize("path", ["a\0b.swf", "\ud800.swf"])
def test_a_path_that_no_system_has_is_refused(path):
    with pytest.raises(SWFError, match="cannot be read: ") as error:
        read_swf(path)
    assert str(error.value).startswith(repr(path)) and str(error.value).isprintable()


# Damaged and too large


@packed
@pytest.mark.parametrize("damage", ["truncated", "in the middle", "in the second part", "another file behind it"])
def test_a_damaged_file_is_told_with_the_bytes_that_can_be_read(put, pack, damage):
    whole = pack(b"".join(b"%d " % n for n in range(60_000)))
    if damage == "truncated":
        data = whole[: len(whole) * 3 // 4]
    elif damage == "in the middle":
        data = whole[:5000] + b"damaged" + whole[5007:]
    elif damage == "in the second part":
        data = whole + pack(TEXT)[:4] + b"damage"
    else:
        data = whole + b"and more"
    message = fault(put(data), files.read_bytes)
    assert (" file is truncated; " if damage == "truncated" else " file is ") in message
    assert "bytes of text can be read" in message


@packed
def test_a_file_truncated_anywhere_is_told(put, pack):
    data = pack(TEXT)
    for length in range(14, len(data)):  # less is not always known to be compressed
        assert "bytes of text can be read" in fault(put(data[:length]), files.read_bytes)


@given(data=st.binary(max_size=60), magic=st.sampled_from([b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\0", b"]\0\0\x80\0"]))
def test_any_bytes_that_look_compressed_are_read_or_refused(put, data, magic):
    try:
        files.read_bytes(put(magic + data))
    except SWFError as error:
        assert "\n" not in str(error)


@packed
def test_a_text_larger_than_the_limit_is_refused(put, pack):
    for path in (put(pack(TEXT)), put(TEXT, "plain.swf")):
        assert len(read_swf(path, limit=len(TEXT))) == 1
        assert f"more than {len(TEXT) - 1} bytes of text" in fault(path, limit=len(TEXT) - 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pack, content, limit",
    [
        ("gzip", b" ", 8_000_000),
        ("bzip2", b"\0", 2**40),
        pytest.param("xz", b" ", 8_000_000, marks=pytest.mark.thorough),
    ],
)
def test_a_small_file_of_much_text_is_refused_before_all_is_held(put, pack, content, limit):
    path = put(PACKERS[pack](content * 60_000_000))
    tracemalloc.start()
    complaint = fault(path, limit=limit)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ("more than 8,000,000 bytes of text" if content == b" " else "line 1: found binary") in complaint
    assert peak < 50e6
