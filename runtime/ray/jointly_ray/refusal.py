"""What a person is told in one line where a run cannot go on, with the exit code that says whose matter it is."""

# As the command itself has them.
DONE = 0
BAD_INPUT = 2
SOME_FAILED = 3
INTERRUPTED = 130


class Refusal(Exception):
    """Wrong usage or bad input; nothing that was finished is lost."""

    code = BAD_INPUT


class Failure(Refusal):
    """The infrastructure failed, and the same run can be tried again."""

    code = SOME_FAILED


def one_line(text):
    """A text of others as part of one line of bounded length."""
    return " ".join(str(text).split())[:2000]
