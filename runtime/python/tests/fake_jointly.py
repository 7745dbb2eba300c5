"""Stands in for the command where it is not built: runs and checks agents on sockets, as its pages say it does.

It trains each agent on two problems, asks for two draws, and writes a run's directory with the sum of the
probabilities of class 0 as the score.
"""

import json
import sys
from pathlib import Path
from typing import Any

from host import Host, connect


def opened(agent: str) -> tuple[Host, dict[str, str]]:
    """Connects to `socket:PATH :name=value,...`."""
    place, _, settings = agent.partition(" :")
    host, _ = connect(place.removeprefix("socket:"))
    return host, dict(one.split("=") for one in settings.split(",") if one)


def run(agents: list[str], options: dict[str, str]) -> int:
    """Runs the agents; a failed training is a failure among the results."""
    planned, scored = [], []
    for number, agent in enumerate(agents, 1):
        host, settings = opened(agent)
        description = host.describe()
        problems, failures, first = [], [], 0.0
        for problem in ("fake/0", "fake/1"):
            reply = host.train(settings)
            if "failure" in reply:
                failure = {"problem": problem, "phase": "train", "kind": "agent-failure"}
                failures.append({**failure, "message": reply["failure"]["message"]})
                continue
            score = float(host.probs()[1]["probs"][..., 0].sum())
            first = score if problem == "fake/0" else first
            problems.append({"problem": problem, "kl_tau1": {"mean": score, "stderr": 0.25}, "ece": "inf"})
        print(f"[{number}/{len(agents)}] {description['name']} on fake/1: 0.0 s", file=sys.stderr)
        one = {"agent": description["name"], "digest": description["version"], "settings": settings}
        label = ":".join([description["name"], ",".join(f"{k}={v}" for k, v in settings.items())]).rstrip(":")
        planned.append({**one, "label": label, "reported": "socket"})
        means = {"kl_tau1": {"mean": first, "stderr": 0.25}} if failures == [] else {}
        scored.append({**one, "tier": "reported", "scores": means, "failures": failures, "problems": problems})
    print(f"a note; options {sorted(options)}", file=sys.stderr)
    out = Path(options["--out"])
    out.mkdir(exist_ok=True)
    (out / "plan.json").write_text(json.dumps({"agents": planned}))
    lines = ["rank,agent,settings,digest"]
    for rank, one in enumerate(scored, 1):
        given = ",".join(f"{k}={v}" for k, v in sorted(dict(one["settings"]).items()))
        lines.append(f'{"" if one["failures"] else rank},{one["agent"]},"{given}",{one["digest"]}')
    (out / "leaderboard.csv").write_text("\n".join(lines) + "\n")
    (out / "scores.json").write_text(json.dumps({"suite": options["--suite"], "seed": 0, "agents": scored}))
    return 3 if any(one["failures"] for one in scored) else 0


def check(agent: str) -> int:
    """Checks two clauses."""
    host, settings = opened(agent)
    host.describe()
    clauses: list[dict[str, Any]] = []
    for name, reply in (("training", host.train(settings)), ("draws", host.probs()[0])):
        broken = reply.get("failure", {}).get("message")
        says = {"clause": name, "says": f"{name} works", "interface": "classification"}
        clauses.append({**says, "ok": broken is None, "broken": broken})
    print(json.dumps(clauses))
    return 0 if all(clause["ok"] for clause in clauses) else 2


def main(verb: str, *words: str) -> int:
    """Ends with the exit code of the command."""
    if verb == "check":
        return check(words[0])
    agents = [word for word in words if word.startswith("socket:")]
    named = {word: after for word, after in zip(words, [*words[1:], ""], strict=True) if word.startswith("--")}
    if named["--suite"] == "nowhere":
        print("there is no suite nowhere; see `jointly suites`", file=sys.stderr)
        return 2
    return run(agents, named)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
