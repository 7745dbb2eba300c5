"""The failures that an agent may report, and the errors of this package."""


class Failure(Exception):
    """An agent gives up, for a reason of which the run keeps a record. Raise a subclass."""

    kind = "internal"


class InvalidSetting(Failure):
    """A setting is unknown, malformed or out of range."""

    kind = "invalid-setting"


class Unsupported(Failure):
    """The agent cannot learn this task."""

    kind = "unsupported"


class Diverged(Failure):
    """Training produced no usable model."""

    kind = "diverged"


class InvalidOutput(ValueError):
    """An agent returned what is no answer. It is found before it is sent, so that the message can name the method."""


class JointlyError(Exception):
    """The command `jointly` is missing, or refused what it was asked; the message is the command's own."""


class AgentError(Exception):
    """An agent raised an exception during a run. The exception is the cause, with the agent's own traceback."""
