"""The modes: each names a game, and its deals carry a code prefix."""

from __future__ import annotations

from typing import NamedTuple

from .forty_thieves import FortyThieves
from .klondike import Klondike, KlondikeDraw3, KlondikeDraw3Vegas, KlondikeVegas
from .table import Table


class Mode(NamedTuple):
    """A mode: its key (``ft-n``), code prefix, class of `Table`, and family.

    Two modes of one family deal the same cards for the same number.
    """

    key: str
    prefix: str
    game: type[Table]
    family: str


MODES = {
    mode.key: mode
    for mode in (
        Mode("ft-n", "FT1-N", FortyThieves, "FT1"),
        Mode("kl-d1n", "KL1-D1N", Klondike, "KL1"),
        Mode("kl-d3n", "KL1-D3N", KlondikeDraw3, "KL1"),
        Mode("kl-d1v", "KL1-D1V", KlondikeVegas, "KL1"),
        Mode("kl-d3v", "KL1-D3V", KlondikeDraw3Vegas, "KL1"),
    )
}
MODE_OF_PREFIX = {mode.prefix: mode for mode in MODES.values()}
