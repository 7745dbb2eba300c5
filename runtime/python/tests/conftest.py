"""The command of the tests: a stand-in, or the real one."""

import os
import sys
from pathlib import Path

import pytest


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts a stand-in in place of the command."""
    script = tmp_path / "jointly"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__).parent / "fake_jointly.py"} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("JOINTLY_BIN", str(script))


@pytest.fixture
def real() -> str:
    """The path of the real command."""
    path = os.environ.get("JOINTLY_BIN")
    if path is None:
        pytest.skip("set JOINTLY_BIN to the path of the built command jointly")
    return path
