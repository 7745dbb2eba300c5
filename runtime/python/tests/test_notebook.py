"""The notebook of examples/python is executed from its first cell to its last."""

import os
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[3] / "examples/python/first.ipynb"


@pytest.mark.skipif("JOINTLY_BIN" not in os.environ, reason="needs the command: set JOINTLY_BIN")
def test_the_notebook_ranks_its_agent_beside_ten_others(monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "src"))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    tables = [output["data"]["text/html"] for cell in notebook.cells for output in cell.get("outputs", ())]
    check, leaderboard, scores = tables
    assert "all clauses hold" in check
    assert leaderboard.count("<tr") == 2 * 12
    assert leaderboard.count("<td>reported</td>") == 1
    assert leaderboard.count("replayed") == 10
    assert "kl_tau100" in scores
