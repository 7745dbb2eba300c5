"""The journal is held by one process, goes on after a torn line, and keeps beliefs before the lines that name them."""

import fcntl
import hashlib
import os
import tempfile
import unittest
import zlib
from pathlib import Path

import pytest

from jointly_eval.ray.journal import Journal
from jointly_eval.ray.refusal import Refusal

LINE = b'{"agent":"mlp","problem":"a","seconds":0.1}'
OTHER = b'{"agent":"mlp","problem":"b","seconds":0.1}'


def units_or_refusal(journal):
    """Returns the units of a journal, or none of them and the refusal."""
    try:
        return list(journal.units()), ""
    except Refusal as refusal:
        return [], str(refusal)


class Journals(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "results.jsonl"
        self.path.write_bytes(b"")

    def open(self):
        journal = Journal(self.folder)
        self.addCleanup(journal.close)
        return journal

    def test_a_torn_last_line_is_dropped(self):
        self.path.write_bytes(LINE + b"\n" + OTHER[:20])
        journal = self.open()
        assert list(journal.units()) == [("mlp", "a")]
        assert self.path.read_bytes() == LINE + b"\n"
        journal.append(OTHER)
        assert self.path.read_bytes() == LINE + b"\n" + OTHER + b"\n"

    def test_garbage_in_the_middle_is_named_with_its_line(self):
        self.path.write_bytes(LINE + b"\ngarbage\n" + OTHER + b"\n")
        with pytest.raises(Refusal, match="line 2 is not a result"):
            list(self.open().units())

    def test_a_damaged_line_is_named_and_one_without_a_checksum_is_read(self):
        whole = b'{"agent":"mlp","problem":"a","crc32":"%08x"}' % zlib.crc32(b'{"agent":"mlp","problem":"a",')
        text = LINE + b"\n" + whole + b"\n"
        self.path.write_bytes(text)
        journal = self.open()
        assert list(journal.units()) == [("mlp", "a"), ("mlp", "a")]
        journal.close()
        for bit in range(8 * len(LINE) + 8, 8 * len(text)):
            flipped = bytearray(text)
            flipped[bit // 8] ^= 1 << bit % 8
            self.path.write_bytes(flipped)
            journal = self.open()
            read, said = units_or_refusal(journal)
            # A flipped name of the checksum is that of a member which nobody reads.
            assert read == [("mlp", "a"), ("mlp", "a")] or "results.jsonl line " in said
            assert self.path.read_bytes() == flipped
            journal.close()
        self.path.write_bytes(text.replace(b'"mlp","problem":"a","crc32"', b'"mlq","problem":"a","crc32"'))
        with pytest.raises(Refusal, match="line 2 is damaged: checksum mismatch; delete the line"):
            list(self.open().units())

    def test_it_is_held_by_one_process(self):
        with open(self.path, "rb") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            with pytest.raises(Refusal, match="being written by another run"):
                self.open()
        first = self.open()
        with pytest.raises(Refusal, match="being written by another run"):
            Journal(self.folder)
        first.close()
        self.open()

    def test_a_directory_without_one_is_refused(self):
        os.unlink(self.path)
        with pytest.raises(Refusal, match="failed to open"):
            self.open()

    def test_beliefs_are_kept_under_their_digest_and_no_other(self):
        journal = self.open()
        list(journal.units())
        digest = "sha256:" + hashlib.sha256(b"belief").hexdigest()
        journal.append(LINE, (digest, b"belief"))
        journal.append(OTHER, (digest, b"belief"))
        (kept,) = (self.folder / "beliefs").iterdir()
        assert (kept.name, kept.read_bytes()) == (digest.replace(":", "-") + ".bin", b"belief")
        with pytest.raises(Refusal, match="other bytes"):
            journal.append(LINE, (digest, b"another"))
        assert self.path.read_bytes() == LINE + b"\n" + OTHER + b"\n"

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_a_full_disk_is_said_in_a_line(self):
        os.unlink(self.path)
        os.symlink("/dev/full", self.path)
        journal = self.open()
        with pytest.raises(Refusal, match=r"failed to write .*make room, and run the same command again"):
            journal.append(LINE)

    def test_a_belief_that_cannot_be_written_is_named_and_its_line_is_not_written(self):
        journal = self.open()
        (self.folder / "beliefs").write_bytes(b"")
        digest = "sha256:" + hashlib.sha256(b"belief").hexdigest()
        with pytest.raises(Refusal, match=r"failed to write .*/beliefs/sha256-.*make room, and run the same command"):
            journal.append(LINE, (digest, b"belief"))
        assert self.path.read_bytes() == b""
