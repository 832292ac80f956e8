"""Deal codes, the shuffle (version 1, for ever) and layouts (deals.md).

>>> deal = Deal.parse("FT1-N-AAAAAAV")
>>> deal.code.number, [card_text(card) for card in deal.columns[0]]
(21, ['7S', '3S', 'QD', 'KC'])
>>> str(deal.code)
'FT1-N-AAAAAAV'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .cards import PACK, card_text, parse_card
from .errors import BadCode, BadDeal
from .registry import MODE_OF_PREFIX, MODES, Mode

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
DIGITS = 7
DEALS_PER_GAME = 32**DIGITS
_FORGIVEN = str.maketrans("018", "OIB")


@dataclass(frozen=True, slots=True)
class Code:
    """The name of a deal: a mode (``kl-d1n``) and a number below 2**35. ``str`` gives the text, `parse` reads it."""

    mode: str
    number: int

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise BadCode(f"{self.mode!r} is no mode: {', '.join(MODES)} are.", problem="prefix")
        if not 0 <= self.number < DEALS_PER_GAME:
            raise BadCode(f"{self.number} is no deal number: they go from 0 to {DEALS_PER_GAME - 1}.", problem="length")

    @classmethod
    def parse(cls, text: str) -> Code:
        """Read a code, forgiving case, surrounding blanks, and 0, 1, 8 for O, I, B in its last seven characters.

        >>> str(Code.parse(" kl1-d1n-aaaaaa6 "))
        'KL1-D1N-AAAAAA6'

        Raises `BadCode` with what is wrong.
        """
        stripped = text.strip()
        if not stripped.isascii():
            raise BadCode(
                "A deal code has only the letters A to Z, digits and hyphens, like FT1-N-AAAAAAV.", problem="letters"
            )
        prefix, _, digits = stripped.upper().rpartition("-")
        if prefix not in MODE_OF_PREFIX:
            prefixes = ", ".join(MODE_OF_PREFIX)
            raise BadCode(f"A deal code begins with {prefixes} and a hyphen, like FT1-N-AAAAAAV.", problem="prefix")
        if len(digits) != DIGITS:
            raise BadCode(
                f"A deal code ends in {DIGITS} characters after the hyphen; this one has {len(digits)}.",
                problem="length",
                found=str(len(digits)),
            )
        number = 0
        for digit in digits.translate(_FORGIVEN):
            if digit not in ALPHABET:
                raise BadCode(
                    f"{digit!r} can't stand in a deal code: its last {DIGITS} are of A to Z and 2 to 7.",
                    problem="digit",
                    found=digit,
                )
            number = number * 32 + ALPHABET.index(digit)
        return cls(MODE_OF_PREFIX[prefix].key, number)

    def __str__(self) -> str:
        digits = "".join(ALPHABET[self.number >> shift & 31] for shift in range(5 * (DIGITS - 1), -1, -5))
        return f"{MODES[self.mode].prefix}-{digits}"


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards of one game before its first action.

    ``columns`` run left to right, the last card of each on top; ``stock[0]`` is drawn first. ``code`` is None for a
    deal that was given by its cards.
    """

    mode: str
    columns: tuple[tuple[int, ...], ...]
    stock: tuple[int, ...]
    code: Code | None = None

    @classmethod
    def parse(cls, code: str | Code) -> Deal:
        """The deal that a code names. Raises `BadCode`."""
        if isinstance(code, str):
            code = Code.parse(code)
        game = MODES[code.mode].game
        cards = shuffle(code.number, game.packs, game.shuffle_sequence)
        columns = []
        start = 0
        for size in game.column_sizes:
            columns.append(tuple(cards[start : start + size]))
            start += size
        return cls(code.mode, tuple(columns), tuple(cards[start:]), code)

    @classmethod
    def of(cls, mode: str, *, columns: Sequence[Sequence[str]], stock: Sequence[str]) -> Deal:
        """A deal by its cards, in text form. Raises `BadDeal` where they aren't a deal of the mode."""
        if mode not in MODES:
            raise BadDeal(f"{mode!r} is no mode: {', '.join(MODES)} are.")
        try:
            deal = cls(mode, tuple(tuple(map(parse_card, c)) for c in columns), tuple(map(parse_card, stock)))
        except ValueError as error:
            raise BadDeal(str(error)) from None
        deal._check_shape()
        return deal

    def _check_shape(self) -> None:
        game = MODES[self.mode].game
        sizes = tuple(len(column) for column in self.columns)
        if sizes != game.column_sizes:
            raise BadDeal(f"{game.name} has columns of {game.column_sizes} cards, not {sizes}.")
        found = Counter(card for pile in (*self.columns, self.stock) for card in pile)
        wrong = [card for card in PACK if found[card] != game.packs]
        if wrong:
            card = wrong[0]
            raise BadDeal(f"{card_text(card)} must be there {game.packs} times, but is {found[card]} times.")

    @property
    def game(self) -> Mode:
        """The mode's registry entry."""
        return MODES[self.mode]

    def to_dict(self) -> dict[str, Any]:
        """The deal in JSON form: ``code, mode, columns, face_down, stock`` (notation.md, Interfaces)."""
        hides = MODES[self.mode].game.hides_cards
        return {
            "code": None if self.code is None else str(self.code),
            "mode": self.mode,
            "columns": [[card_text(card) for card in column] for column in self.columns],
            "face_down": [len(column) - 1 if hides else 0 for column in self.columns],
            "stock": [card_text(card) for card in self.stock],
        }


def shuffle(number: int, packs: int, sequence: int) -> list[int]:
    """The shuffled pack, version 1: Fisher-Yates from the end, driven by PCG32 seeded with (number, sequence)."""
    cards = list(PACK) * packs
    generator = Pcg32(number, sequence)
    for i in range(len(cards) - 1, 0, -1):
        j = generator.below(i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


class Pcg32:
    """The generator PCG-XSH-RR with 64 bits of state and 32 of output (O'Neill 2014, pcg32_srandom).

    >>> generator = Pcg32(42, 54)
    >>> [hex(generator.next()) for _ in range(3)]
    ['0xa15c02b7', '0x7b47f409', '0xba1d3330']
    """

    __slots__ = ("_increment", "_state")

    _MULTIPLIER = 6364136223846793005
    _MASK = (1 << 64) - 1

    def __init__(self, initstate: int, initseq: int) -> None:
        self._state = 0
        self._increment = (initseq << 1 | 1) & self._MASK
        self.next()
        self._state = (self._state + initstate) & self._MASK
        self.next()

    def next(self) -> int:
        """The next number of 32 bits."""
        old = self._state
        self._state = (old * self._MULTIPLIER + self._increment) & self._MASK
        xorshifted = ((old >> 18 ^ old) >> 27) & 0xFFFFFFFF
        rotation = old >> 59
        return (xorshifted >> rotation | xorshifted << (-rotation & 31)) & 0xFFFFFFFF

    def below(self, bound: int) -> int:
        """The next number from 0 to bound - 1, without bias (pcg32_boundedrand)."""
        threshold = (1 << 32) % bound
        while True:
            number = self.next()
            if number >= threshold:
                return number % bound
