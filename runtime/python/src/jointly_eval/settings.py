"""The settings of an agent: declared with defaults, and parsed from the texts that a user gives."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from .failure import InvalidSetting

Value: TypeAlias = bool | int | float | str

_EXPECTED = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


class Settings(Mapping[str, Value]):
    """Settings by name, as items or attributes: `settings["prior-scale"]` is `settings.prior_scale`.

    A default is a truth value, a whole number, a number or a text, or a pair of it and a summary of one line:
    `{"size": (10, "members of the ensemble")}`.
    """

    def __init__(self, declared: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        self._values: dict[str, Value] = {}
        self._summaries: dict[str, str] = {}
        for key, entry in {**(declared or {}), **more}.items():
            default, summary = entry if isinstance(entry, tuple) else (entry, "")
            if type(default) not in _EXPECTED:
                found = type(default).__name__
                raise TypeError(f"setting {key}: the default is a {found}; expected bool, int, float or str")
            self._values[_name(key)] = default
            self._summaries[_name(key)] = summary

    def __getitem__(self, key: str) -> Value:
        return self._values[_name(key)]

    def __getattr__(self, key: str) -> Any:
        # Copying asks for private names before there are values.
        if key.startswith("_") or _name(key) not in self._values:
            raise AttributeError(f"there is no setting {key}")
        return self._values[_name(key)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Settings({self._values})"

    def extended(self, more: Mapping[str, Any]) -> "Settings":
        """Returns these settings and `more`, which may change defaults."""
        added = Settings({key: (more[key], more.summary(key)) for key in more} if isinstance(more, Settings) else more)
        result = Settings()
        result._values = {**self._values, **added._values}
        result._summaries = {**self._summaries, **added._summaries}
        return result

    def summary(self, key: str) -> str:
        """Returns the summary of a setting."""
        return self._summaries[_name(key)]

    def parse(self, texts: Mapping[str, str]) -> "Settings":
        """Returns settings in which the given texts replace the defaults. Raises InvalidSetting."""
        for key in texts:
            if key not in self._values:
                known = f"the settings are {', '.join(self._values)}" if self._values else "there are no settings"
                raise InvalidSetting(f"unknown setting {key}; {known}")
        parsed = {key: _parse(key, text, type(self._values[key])) for key, text in texts.items()}
        return self.extended({key: (value, self.summary(key)) for key, value in parsed.items()})

    def parameters(self) -> list[dict[str, str]]:
        """Returns the settings as the description lists them."""
        return [{"name": name, "default": text(value), "summary": self.summary(name)} for name, value in self.items()]


def text(value: Value) -> str:
    """Writes a value as a user would write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _name(key: str) -> str:
    return key.replace("_", "-")


def _parse(key: str, text: str, kind: type[Value]) -> Value:
    try:
        if kind is bool:
            return {"true": True, "false": False}[text]
        value = kind(text)
    except (KeyError, ValueError):
        raise InvalidSetting(f"{key}={text}: expected {_EXPECTED[kind]}") from None
    if isinstance(value, float) and math.isnan(value):
        raise InvalidSetting(f"{key}={text}: expected {_EXPECTED[kind]}")
    return value
