"""Names and versions for agents that state none."""

import hashlib
import inspect
import marshal
import re
from typing import Any


def kebab(name: str) -> str:
    """Returns the name of a class as lower-case words joined by hyphens: `DeepEnsemble` is `deep-ensemble`."""
    words = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+", name)
    return "-".join(words).lower() or "agent"


def source_digest(agent: object) -> str:
    """Returns a short digest of the source of the agent's classes and of its plain attributes.

    It changes when the class changes or the agent is made with other numbers. It does not see functions outside the
    class: an agent that calls some states a version.
    """
    digest = hashlib.sha256()
    for cls in type(agent).__mro__:
        if cls is not object and cls.__module__.partition(".")[0] != __name__.partition(".")[0]:
            digest.update(_source(cls))
    for name, value in sorted(vars(agent).items()):
        if not name.startswith("_"):
            digest.update(f"{name}={_plain(value)}\n".encode())
    return f"sha-{digest.hexdigest()[:12]}"


def _source(cls: type) -> bytes:
    try:
        return inspect.getsource(cls).encode()
    except (OSError, TypeError):
        # A class that was typed at a prompt has no source, but compiled methods.
        codes = [value.__code__ for value in vars(cls).values() if inspect.isfunction(value)]
        return b"".join(marshal.dumps(code) for code in codes)


def _plain(value: Any) -> str:
    """Writes numbers and texts; of other objects, whose texts may hold addresses, their type."""
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_plain, value))}]"
    return type(value).__qualname__
