"""What `games` announces to whoever listens; it knows none of them."""

from __future__ import annotations

from dataclasses import dataclass

from django.dispatch import Signal


@dataclass(frozen=True, slots=True)
class Ruling:
    """One verified or rejected submission, as those who rank need it. ``elapsed`` in tenths of a second."""

    submission_id: int
    challenge_id: int
    player_id: int
    is_guest: bool
    attempt_number: int
    ranked: bool
    verified: bool
    won: bool
    ranked_score: int
    moves: int
    elapsed: int


#: Sent with ``challenge_id: int`` inside the transaction that cancels a challenge or brings it back.
challenge_counted_anew = Signal()

#: Sent with ``player_ids: list[int]`` inside the transaction after which other submissions of theirs count than before.
players_counted_anew = Signal()

#: Sent with ``rulings: list[Ruling]`` inside the transaction that writes the verdicts: a listener that fails takes the
#: verdicts with it, and they are tried again.
verdicts_given = Signal()
