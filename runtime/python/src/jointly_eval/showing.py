"""Draws tables: as text, as HTML, as a pandas.DataFrame."""

import html
import math
from typing import Any


def table(columns: dict[str, list[Any]]) -> Any:
    """Returns a pandas.DataFrame if pandas is installed, else a copy of the columns."""
    try:
        import pandas
    except ImportError:
        return {name: list(column) for name, column in columns.items()}
    return pandas.DataFrame(columns)


def plus_minus(score: Any) -> str:
    """Writes a score to two digits of its standard error: `0.231 ±0.023`."""
    if score is None:
        return "-"
    value, error = score.value, score.standard_error
    if not (math.isfinite(value) and math.isfinite(error)) or error == 0:
        return f"{value:.4g}"
    digits = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:.{digits}f} ±{error:.{digits}f}"


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
