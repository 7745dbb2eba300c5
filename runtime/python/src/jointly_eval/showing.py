"""Draws tables: as text, as HTML, as a pandas.DataFrame."""

import html
import re
from typing import Any


class Columns(dict[str, list[Any]]):
    """Columns by name, shown by their names and length."""

    def __repr__(self) -> str:
        rows = len(next(iter(self.values()), []))
        return f"<{rows} rows of {', '.join(self)}; a dict of lists, or a DataFrame with pandas>"


def table(columns: dict[str, list[Any]]) -> Any:
    """Returns a pandas.DataFrame if pandas is installed, else a copy of the columns."""
    try:
        import pandas
    except ImportError:
        return Columns({name: list(column) for name, column in columns.items()})
    return pandas.DataFrame(columns)


def as_text(title: str, head: list[str], rows: list[list[str]]) -> str:
    """Aligns columns: texts to the left, and all after the third to the right."""
    widths = [max(len(line[i]) for line in (head, *rows)) for i in range(len(head))]
    lines = [title, ""]
    for line in (head, *rows):
        cells = [
            cell.rjust(width) if i > 2 else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def as_html(title: str, head: list[str], rows: list[list[str]]) -> str:
    """Writes a table with a caption."""
    heads = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    caption = f"<caption>{html.escape(title)}</caption>"
    return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def text_as_html(text: str) -> str:
    """Writes a leaderboard as the command prints it: paragraphs as they are, and tables as tables."""
    blocks = [block.splitlines() for block in re.split(r"\n\s*\n", text)]
    return "".join(_table(lines) or f"<p>{'<br>'.join(map(html.escape, _whole(lines)))}</p>" for lines in blocks)


def _table(lines: list[str]) -> str | None:
    """Writes a table whose columns are two spaces or more apart; None if the lines are no table."""
    head, *rows = [re.split(r" {2,}", line.strip()) for line in lines]
    if not rows or len(head) < 2 or any(len(row) != len(head) for row in rows):
        return None
    return as_html("", head, rows).replace("<caption></caption>", "")


def _whole(lines: list[str]) -> list[str]:
    """Joins the lines that continue another, which are indented."""
    joined: list[str] = []
    for line in lines:
        if line.startswith("  ") and joined:
            joined[-1] += " " + line.strip()
        else:
            joined.append(line)
    return joined
