"""Comparing a board, as Redis or PostgreSQL shows it page by page, with what it should be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

#: A member's number and what places it; and of a page: lines before it, (total, first position, first rank).
Line = tuple[Any, ...]
Head = tuple[int, tuple[int, int, int]]


def read_board(
    source: Any, board: Any, unpack: Callable[[int], Sequence[Any]], page_size: int
) -> tuple[list[Line], list[Head]]:
    """All lines of a board, read page by page, and what is said at the head of each page."""
    lines: list[Line] = []
    heads: list[Head] = []
    after = None
    while True:
        part = source.page(board, after=after, limit=page_size)
        head = (part.total, part.first_position, part.first_rank) if part.entries else (part.total, len(lines), 0)
        heads.append((len(lines), head))
        lines += [(entry.id, *unpack(entry.key)) for entry in part.entries]
        if len(part.entries) < page_size:
            return lines, heads
        after = part.entries[-1]


def wrong_heads(heads: list[Head], ranks: Sequence[int]) -> list[str]:
    """Pages that count other players, or begin at another position or rank, than a board of these ranks."""
    for seen, head in heads:
        wanted = (len(ranks), seen, ranks[seen] if seen < len(ranks) else 0)
        if head[0] != wanted[0]:
            return [f"{head[0]} players instead of {wanted[0]}"]
        if head != wanted:
            return [f"the page at line {seen + 1} has position {head[1]}, rank {head[2]} instead of {wanted[1:]}"]
    return []


def wrong_lines(shown: Sequence[Line], wanted: Sequence[Line]) -> list[str]:
    """The first line that isn't as it should be."""
    for number, (line, place) in enumerate(zip_longest(shown, wanted), 1):
        if line != place:
            return [f"line {number} shows {line} instead of {place}"]
    return []
