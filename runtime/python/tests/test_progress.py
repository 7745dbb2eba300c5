"""The progress bar, by what tqdm is told."""

import sys

import pytest

from jointly_eval.progress import Progress


def test_lines_of_units_move_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with Progress(True) as bar:
        assert bar.line("[3/9] mlp on quick/t10/temp0.1/seed0: 0.1 s; about 0 seconds left")
        assert not bar.line("effective sample size 5 of 50 draws")
        assert bar.line("[9/9] mine on quick/t10/temp0.1/seed2: 0.0 s")
    shown = capsys.readouterr().err
    assert "9/9" in shown
    assert "mine on quick/t10/temp0.1/seed2" in shown


def test_it_is_quiet_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(True) as bar:
        assert bar.line("[3/9] mlp on quick/t10/temp0.1/seed0: 0.1 s")
    assert capsys.readouterr().err == ""
