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

#: Sent with ``player_id: int`` inside the transaction that ends all tokens of a player: sessions end too.
sessions_ended = Signal()

#: Sent with ``player_id: int`` inside the transaction that deletes a player: whoever holds personal data deletes it.
player_deleted = Signal()

#: Sent with ``guest_id: int`` and ``player_id: int`` inside the transaction in which an account takes over what a guest
#: has.
guest_merged = Signal()

#: Sent with ``player_id: int``; listeners return what they hold of the player: rows of JSON by the name of a section.
export_asked = Signal()
