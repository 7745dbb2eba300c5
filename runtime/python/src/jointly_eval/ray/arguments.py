"""Parses the arguments of `python -m jointly_eval.ray`: its own options, and those of `jointly run`, handed on."""

import argparse
import os
from collections.abc import Sequence
from typing import NoReturn

from .refusal import Refusal

#: The name of the program in its messages.
PROGRAM = "python -m jointly_eval.ray"

DESCRIPTION = """\
Spreads the units of a run over a Ray cluster. Every other argument is one of
`jointly run` and is handed on: agents, --suite, --out, --problems, --seed and
so on; see `jointly run --help`. The nodes need Ray and the same version of the
command; agents and problems are sent to them. On a directory that holds the
same plan, goes on where it stopped. A sweep is planned by `jointly sweep ...
--plan-only --out DIR` and run by --like DIR --out DIR."""

EPILOG = """\
Exit codes: those of `jointly run`; 3 also where workers died three times in a
unit, which the same command tries again."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Refusal(f"{message}; see --help")


class Arguments:
    """The parsed command line."""

    def __init__(self, argv: Sequence[str]) -> None:
        parser = _Parser(prog=PROGRAM, description="Runs agents on a suite over a Ray cluster.")
        commands = parser.add_subparsers(dest="verb", required=True, parser_class=_Parser)
        run = commands.add_parser(
            "run",
            prog=f"{PROGRAM} run",
            usage="%(prog)s [AGENT...] --suite S --out DIR\n"
            "         [--address A] [--jobs N] [--jointly PATH] [OPTION...]",
            description=DESCRIPTION,
            epilog=EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        run.add_argument(
            "--address",
            default="auto",
            metavar="A",
            help="the cluster's head, HOST:PORT [default: auto, the one that runs here]",
        )
        run.add_argument("--jobs", type=_count, metavar="N", help="units at a time [default: the CPUs of the cluster]")
        run.add_argument(
            "--jointly",
            metavar="PATH",
            help="the command, here and on every node [default: jointly beside Python, else on the PATH of each]",
        )
        # Workers need these too; the paths are valid on the nodes.
        run.add_argument(
            "--data", action="append", default=[], metavar="DIR", help="as of `jointly run`; the same on every node"
        )
        run.add_argument("--images", metavar="DIR", help="as of `jointly run`; the same on every node")
        run.add_argument("--engine", metavar="ENGINE", help="as of `jointly run`")
        run.add_argument(
            "--native",
            action="store_true",
            help="start native agents on the nodes, which need them under the same path",
        )
        given, rest = parser.parse_known_args(argv)
        self.address: str = given.address
        self.jobs: int | None = given.jobs
        # The working directory differs on nodes; each looks up a bare name itself.
        named: str | None = given.jointly
        self.jointly = os.path.abspath(named) if named and os.sep in named else named
        for own in ("--plan-only", "--shard"):
            if any(option.split("=")[0] == own for option in rest):
                raise Refusal(f"{own} leaves units to others, and the cluster runs all of them: leave it out")
        #: The arguments of `jointly worker`.
        self.of_workers = [word for folder in given.data for word in ("--data", os.path.abspath(folder))]
        self.of_workers += ["--images", os.path.abspath(given.images)] if given.images else []
        self.of_workers += ["--engine", given.engine] if given.engine else []
        self.of_workers += ["--native"] if given.native else []
        #: The arguments of `jointly run`.
        self.of_run = rest + self.of_workers


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("expected a whole number of at least 1")
    return int(text)
