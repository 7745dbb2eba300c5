"""Settings: their types, and what is refused."""

import copy
import pickle
from typing import Any

import pytest
from agents import DrawnSoftmax
from test_protocol import served

import jointly_eval as je

DECLARED = je.Settings({"size": (10, "members"), "rate": 1e-3, "noisy": True, "prior-kind": "normal"})


def test_texts_are_parsed_to_the_type_of_the_default() -> None:
    settings = DECLARED.parse({"size": "3", "rate": "1", "noisy": "false", "prior-kind": "flow"})
    assert dict(settings) == {"size": 3, "rate": 1.0, "noisy": False, "prior-kind": "flow"}
    assert (settings.size, settings["rate"], settings.noisy, settings.prior_kind) == (3, 1.0, False, "flow")
    assert settings.summary("size") == "members"
    assert DECLARED.size == 10


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sizes": "1"}, "unknown setting sizes; the settings are size, rate, noisy, prior-kind"),
        ({"size": "1.5"}, "size=1.5: expected a whole number"),
        ({"rate": "fast"}, "rate=fast: expected a number"),
        ({"rate": "nan"}, "rate=nan: expected a number"),
        ({"noisy": "1"}, "noisy=1: expected true or false"),
    ],
)
def test_unknown_and_malformed_settings_are_refused(given: dict[str, str], message: str) -> None:
    with pytest.raises(je.InvalidSetting, match=f"^{message}$"):
        DECLARED.parse(given)
    with pytest.raises(je.InvalidSetting, match="there are no settings"):
        je.Settings().parse({"size": "1"})


def test_stated_defaults_are_in_force() -> None:
    stated = {one["name"]: one["default"] for one in DECLARED.parameters()}
    assert dict(DECLARED.parse(stated)) == dict(DECLARED)


def test_a_default_of_another_type_is_an_error_of_the_class() -> None:
    with pytest.raises(TypeError, match="setting size: the default is a NoneType"):
        je.Settings(size=None)


def test_a_subclass_adds_settings() -> None:
    class Wider(DrawnSoftmax):
        settings = je.Settings(width=50, scale=3.0)

    assert dict(Wider.settings) == {"scale": 3.0, "members": 4, "bias": True, "prior-kind": "normal", "width": 50}
    assert "width" not in DrawnSoftmax.settings


def test_settings_survive_copies() -> None:
    for copied in (copy.deepcopy(DECLARED), pickle.loads(pickle.dumps(DECLARED))):
        assert dict(copied) == dict(DECLARED)


def test_the_host_is_told_and_the_next_training_has_the_defaults() -> None:
    with served(DrawnSoftmax()) as host:
        failure = host.train({"members": "many"})["failure"]
        assert failure == {"kind": "invalid-setting", "message": "members=many: expected a whole number"}
        host.train({"members": "1"})
        one = host.probs([0, 1])[1]["probs"]
        host.train()
        four = host.probs([0, 1])[1]["probs"]
    assert (one[0] == one[1]).all()
    assert (four[0] != four[1]).any()


def test_with_settings_is_a_copy_with_checked_settings() -> None:
    agent = DrawnSoftmax()
    changed = agent.with_settings(members=2, bias=False)
    assert changed._requested == {"members": "2", "bias": "false"}
    assert not agent._requested
    with pytest.raises(je.InvalidSetting, match="unknown setting size"):
        agent.with_settings(size=1)


def test_a_dict_of_a_class_becomes_settings() -> None:
    changed: Any = type("Changed", (je.Classifier,), {"settings": {"prior_scale": 2.5}})
    assert changed.settings.prior_scale == changed.settings["prior-scale"] == 2.5
