"""The worked examples, each run as a program by a host."""

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from host import Host, started
from test_adapters import X, Y

ROOT = Path(__file__).parents[3]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "src")}
TOLERANCE = 1e-4
#: What each classifier needs, and cheaper settings.
CLASSIFIERS: dict[str, tuple[str, dict[str, str]]] = {
    "uniform": ("numpy", {}),
    "class_average": ("numpy", {"floor": "0.05"}),
    "torch_ensemble": ("torch", {"size": "3", "steps": "20"}),
    "laplace_torch": ("laplace", {"steps": "100"}),
    "jax_dropout": ("jax", {"steps": "50"}),
    "sklearn_gp": ("sklearn", {"features": "50"}),
    "numpyro_hmc": ("numpyro", {"warmup": "100", "samples": "50"}),
    # On PyPI, enn is another package, which has no networks.
    "enn_index": ("enn.networks", {"steps": "200"}),
}


def ended(host: Host, process: Any) -> None:
    host.outgoing.close()
    assert process.wait(timeout=30) == 0, process.stderr.read()


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_draw_of_a_classifier_is_a_function(name: str) -> None:
    package, settings = CLASSIFIERS[name]
    pytest.importorskip(package, reason=f"{package} is not installed here")
    host, process = started([sys.executable, str(ROOT / f"examples/python/{name}.py")], env=ENVIRONMENT)
    described = host.describe()
    reply = host.train(settings, arrays={"train.inputs": X, "train.labels": Y})
    assert reply == {"trained": True}, reply
    draws = list(range(20))
    together = host.probs(draws, X)[1]["probs"]
    alone = host.probs([2], X[5:6])[1]["probs"]
    np.testing.assert_allclose(alone[0, 0], together[2, 5], atol=TOLERANCE)
    assert described["deterministic"] == (together[0] == together[1]).all()
    if name == "class_average":
        # The floor is that of class 1, which has no example.
        counts = np.bincount(Y, minlength=3) / len(Y)
        np.testing.assert_allclose(together[0, 0], np.maximum(counts, 0.05) / 1.05, atol=1e-6)
    elif name != "uniform":
        assert (together.mean(axis=0).argmax(axis=-1) == Y).mean() > 0.8
    failure = host.train({"colour": "red"})["failure"]
    assert failure["kind"] == "invalid-setting"
    ended(host, process)


def test_a_path_of_the_process_of_gpytorch_passes_near_the_examples() -> None:
    pytest.importorskip("botorch", reason="BoTorch is installed beside PyTorch")
    host, process = started([sys.executable, str(ROOT / "examples/python/gpytorch_process.py")], env=ENVIRONMENT)
    rng = np.random.default_rng(1)
    x = rng.uniform(-2, 2, (40, 1)).astype(np.float32)
    truth = 5 + 3 * np.sin(2 * x[:, 0])
    y = (truth + rng.normal(0, 0.3, 40)).astype(np.float32)
    request: dict[str, Any] = {"kind": "regression", "task": {"input_dim": 1, "noise_std": None}}
    assert host.train(**request, arrays={"train.inputs": x, "train.targets": y}) == {"trained": True}
    draws = np.arange(20, dtype=np.uint64)
    _, together = host.ask({"method": "sample_functions"}, {"inputs": x, "draws": draws})
    _, alone = host.ask({"method": "sample_functions"}, {"inputs": x[4:5], "draws": draws[2:3]})
    np.testing.assert_allclose(alone["means"][0, 0], together["means"][2, 4], atol=TOLERANCE)
    assert np.abs(together["means"] - truth).mean() < 0.3
    assert together["means"].std(axis=0).min() > 0
    # Forty examples tell the noise within about a tenth of itself; the prior of it pulls upwards a little.
    assert 0.2 < together["noise_stds"][0, 0] < 0.5
    few = host.train(**request, arrays={"train.inputs": x[:1], "train.targets": y[:1]})
    assert few["failure"]["kind"] == "unsupported"
    ended(host, process)


def test_conformal_intervals_cover_and_draws_are_functions() -> None:
    host, process = started([sys.executable, str(ROOT / "examples/python/conformal_ridge.py")], env=ENVIRONMENT)
    rng = np.random.default_rng(1)
    x = rng.uniform(-2, 2, (1200, 1)).astype(np.float32)
    y = (np.sin(2 * x[:, 0]) + rng.normal(0, 0.3, 1200)).astype(np.float32)
    request: dict[str, Any] = {"kind": "regression", "task": {"input_dim": 1, "noise_std": None}}
    assert host.train(**request, arrays={"train.inputs": x[:200], "train.targets": y[:200]}) == {"trained": True}
    _, answer = host.ask({"method": "intervals", "level": 0.9}, {"inputs": x[200:]})
    lower, upper = answer["prediction"]
    covered = ((lower <= y[200:]) & (y[200:] <= upper)).mean()
    # Coverage given 100 residuals has a standard deviation of 0.03.
    assert abs(covered - 0.9) < 0.09
    draws = np.arange(3, dtype=np.uint64)
    _, together = host.ask({"method": "sample_functions"}, {"inputs": x[:9], "draws": draws})
    _, alone = host.ask({"method": "sample_functions"}, {"inputs": x[4:5], "draws": draws[2:]})
    np.testing.assert_allclose(alone["means"][0, 0], together["means"][2, 4], atol=TOLERANCE)
    assert together["means"].std(axis=0).min() > 0
    few = host.train(**request, arrays={"train.inputs": x[:3], "train.targets": y[:3]})
    assert few["failure"]["kind"] == "unsupported"
    ended(host, process)
