"""Scores how well an agent knows what it does not know, for agents in any framework."""

from .agent import Agent, Classifier, Draws, Regressor
from .checking import Clause, Report, check
from .failure import AgentError, Diverged, Failure, InvalidSetting, JointlyError, Unsupported
from .problems import Problem, problems
from .results import Results, load
from .running import run
from .scoring import score
from .serving import Server, serve
from .settings import Settings
from .streams import rng, seed32
from .suites import Suite, suites
from .task import Categories, Examples, Image, Inputs, RegressionTask, Targets, Task, Text

__version__ = "0.2.0"

__all__ = [
    "Agent",
    "AgentError",
    "Categories",
    "Classifier",
    "Clause",
    "Diverged",
    "Draws",
    "Examples",
    "Failure",
    "Image",
    "Inputs",
    "InvalidSetting",
    "JointlyError",
    "Problem",
    "RegressionTask",
    "Regressor",
    "Report",
    "Results",
    "Server",
    "Settings",
    "Suite",
    "Targets",
    "Task",
    "Text",
    "Unsupported",
    "check",
    "load",
    "problems",
    "rng",
    "run",
    "score",
    "seed32",
    "serve",
    "suites",
]
