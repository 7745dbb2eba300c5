"""Errors that end a run, shown as one line, with an exit code that tells bad input from failed infrastructure."""

# The exit codes of the command itself.
DONE = 0
BAD_INPUT = 2
SOME_FAILED = 3
INTERRUPTED = 130


class Refusal(Exception):
    """Wrong usage or bad input; finished units are kept."""

    code = BAD_INPUT


class Failure(Refusal):
    """The infrastructure failed, and the same run can be tried again."""

    code = SOME_FAILED


def one_line(text: object) -> str:
    """Returns a foreign text on one line, of at most 2000 characters."""
    return " ".join(str(text).split())[:2000]
