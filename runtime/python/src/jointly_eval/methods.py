"""Tells an agent that lacks a method, or has it with other parameters, before anything is trained."""

import difflib
import inspect
from typing import TypeVar

from .agent import Agent, Classifier, Regressor

Some = TypeVar("Some", bound=Agent)
#: The methods that an agent must define.
NEEDED: dict[type[Agent], tuple[str, ...]] = {
    Classifier: ("train", "sample_probs"),
    Regressor: ("train", "sample_functions"),
}
#: Those that it may define.
OPTIONAL: dict[type[Agent], tuple[str, ...]] = {
    Classifier: ("canonical_draws",),
    Regressor: ("canonical_draws", "gaussian", "intervals"),
}


def complete(agent: Some) -> Some:
    """Returns the agent.

    It is a TypeError if a method is missing or takes other parameters, or if one of its own has nearly the name of an
    optional one.
    """
    for base, needed in NEEDED.items():
        if isinstance(agent, base):
            for name in needed:
                _has(agent, base, name)
            _misspells(agent, base)
    return agent


def _misspells(agent: Agent, base: type[Agent]) -> None:
    for name in dir(type(agent)):
        if hasattr(base, name) or name.startswith("_") or not callable(getattr(agent, name)):
            continue
        for near in difflib.get_close_matches(name, OPTIONAL[base], 1, 0.9):
            told = f"{type(agent).__name__} has a method {name}, which nothing calls"
            raise TypeError(f"{told}: name it {near}, or less like it")


def _has(agent: Agent, base: type[Agent], name: str) -> None:
    expected = list(inspect.signature(getattr(base, name)).parameters)
    call = f"{name}({', '.join(expected)})"
    if getattr(type(agent), name) is getattr(base, name):
        raise TypeError(f"{type(agent).__name__} has no method {call}")
    try:
        inspect.signature(getattr(agent, name)).bind(*expected[1:])
    except TypeError:
        raise TypeError(f"{type(agent).__name__}.{name} takes other parameters than {call}") from None
