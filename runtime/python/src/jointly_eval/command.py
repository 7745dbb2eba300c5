"""Finds the command `jointly`, and calls it."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import warnings
from collections.abc import Sequence
from typing import Any

from .failure import JointlyError


def find() -> str:
    """Returns the path of the command: $JOINTLY_BIN, else that of this package's wheel, else that on the PATH."""
    chosen = os.environ.get("JOINTLY_BIN")
    if chosen:
        found = shutil.which(chosen)
        if found is None:
            raise JointlyError(f"JOINTLY_BIN is {chosen}, which is no program: set it to the path of jointly")
        return found
    for folder in (os.path.dirname(sys.executable), sysconfig.get_path("scripts"), None):
        found = shutil.which("jointly", path=folder)
        if found is not None:
            return found
    raise JointlyError(
        "the command jointly was not found: install it beside this package by `pip install runtime/python` in the"
        " repository, or build it by `make` and set JOINTLY_BIN to its path"
    )


def environment() -> dict[str, str]:
    """Returns the environment of the command, in which `python3` is this interpreter: it runs the agents of files."""
    path = os.environ.get("PATH", os.defpath)
    return {**os.environ, "PATH": os.pathsep.join([os.path.dirname(sys.executable), path])}


def _call(arguments: Sequence[str]) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [find(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False, env=environment()
    )


def _accepted(arguments: Sequence[str], process: "subprocess.CompletedProcess[bytes]", ok: bool) -> bytes:
    """Returns what the command printed. Its notes become warnings, or the error."""
    notes = process.stderr.decode(errors="replace").strip()
    if not ok:
        raise JointlyError(notes or f"jointly {arguments[0]} ended with exit code {process.returncode}")
    if notes:
        warnings.warn(notes, stacklevel=4)
    return process.stdout


def say(arguments: Sequence[str]) -> bytes:
    """Calls the command, and returns what it prints. Its notes become warnings."""
    process = _call(arguments)
    return _accepted(arguments, process, process.returncode == 0)


def query(arguments: Sequence[str], accept: Sequence[int] = (0,)) -> Any:
    """Calls the command, and returns the JSON that it prints. Its notes become warnings."""
    process = _call(arguments)
    try:
        answer = json.loads(process.stdout)
    except ValueError:
        answer = None
    _accepted(arguments, process, process.returncode in accept and answer is not None)
    return answer


def flags(options: dict[str, Any]) -> list[str]:
    """Writes options as arguments: `planes=3` as `--planes 3`, True as a flag, a list as a repeated option."""
    arguments: list[str] = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            arguments.append(flag)
        elif value is not None and value is not False:
            values = value if isinstance(value, list | tuple) else [value]
            for one in map(str, values):
                # A negative number alone would be taken for a flag.
                arguments += [f"{flag}={one}"] if one.startswith("-") else [flag, one]
    return arguments


def with_settings(agent: str, requested: Any) -> str:
    """Writes an agent with its settings, as the command reads a command or a path."""
    settings = ",".join(f"{name}={value}" for name, value in requested.items())
    return f"{agent} :{settings}" if settings else agent
