"""Joins a cluster, or soon raises an error of one line that says why it cannot."""

import importlib.util
import os
import socket
import sys
import tempfile
from pathlib import Path

from .progress import note
from .refusal import Refusal, one_line

#: How long an address may take to answer, in seconds; Ray itself tries for minutes.
PATIENCE = 5.0
REMEDY = "start one with `ray start --head`, or give the address of another"
#: The start of an HTTP/2 connection, which Ray's head speaks: preface and settings. It answers with its own settings.
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
SETTINGS = 4


def connect(address: str) -> None:
    """Joins the cluster at an address; Ray must not have been imported before."""
    if importlib.util.find_spec("ray") is None:
        raise Refusal(f"ray is not installed for {sys.executable}: pip install 'jointly-eval[ray]'")
    known = recent() if address == "auto" else address
    if known is not None:
        told = address == "auto" and known == os.environ.get("RAY_ADDRESS")
        host = answering(known, "RAY_ADDRESS" if told else "--address")
        if host in ("127.0.0.1", "localhost", "::1"):
            # Otherwise Ray replaces it by this machine's network address, on which such a cluster does not listen.
            os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    import ray
    from ray.exceptions import RayError

    # Ray reports lost nodes on standard output, where only the output of the command belongs, which does not pass here.
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        ray.init(address=known or address, log_to_driver=False, logging_level="CRITICAL")
    except (RayError, ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise Refusal(f"failed to join a cluster at {known or address} ({one_line(error)}): {REMEDY}") from None
    if address == "auto":
        note(f"joined the cluster at {ray.get_runtime_context().gcs_address}")


def recent() -> str | None:
    """Returns the address that `auto` means to Ray: the environment's, else that of the cluster last started here."""
    told = os.environ.get("RAY_ADDRESS")
    if told and told != "auto":
        return told
    last = Path(os.environ.get("RAY_TMPDIR") or tempfile.gettempdir()) / "ray/ray_current_cluster"
    try:
        return last.read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def answering(address: str, source: str = "--address") -> str:
    """Returns the host of an address if the head of a cluster seems to answer there; errors name `source`."""
    host, _, port = address.rpartition(":")
    if "://" in address or not host or not port.isdecimal():
        remedy = "unset it or give --address HOST:PORT" if source == "RAY_ADDRESS" else "give HOST:PORT, or auto"
        raise Refusal(f"{source} {address}: that is not the HOST:PORT of the head of a cluster; {remedy}")
    host = host.strip("[]")
    try:
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as probe:
            if os.environ.get("RAY_USE_TLS", "0").lower() in ("1", "true"):
                return host  # A head with TLS does not answer a plain greeting.
            probe.settimeout(PATIENCE)
            probe.sendall(GREETING)
            answer = probe.recv(9)
    except (OSError, OverflowError) as error:
        raise Refusal(f"there is no cluster at {address} ({one_line(error)}): {REMEDY}") from None
    if answer[3:4] != bytes([SETTINGS]):
        raise Refusal(f"there is no cluster at {address} (what answers there is not Ray): {REMEDY}")
    return host
