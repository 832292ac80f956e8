"""games.engine.registry"""

from games.engine import MODES, Deal, Table
from games.engine.registry import MODE_OF_PREFIX


def test_modes_and_their_prefixes() -> None:
    assert {mode.key: mode.prefix for mode in MODES.values()} == {
        "ft-n": "FT1-N",
        "kl-d1n": "KL1-D1N",
        "kl-d3n": "KL1-D3N",
        "kl-d1v": "KL1-D1V",
        "kl-d3v": "KL1-D3V",
    }
    assert all(key == mode.key for key, mode in MODES.items())
    assert {prefix: mode.key for prefix, mode in MODE_OF_PREFIX.items()} == {m.prefix: m.key for m in MODES.values()}


def test_modes_of_a_family_deal_the_same_cards() -> None:
    dealt: dict[str, set[object]] = {}
    for mode in MODES.values():
        deal = Deal.parse(f"{mode.prefix}-QVQVQVQ")
        dealt.setdefault(mode.family, set()).add((deal.columns, deal.stock))
        assert deal.game is mode
    assert {family: len(layouts) for family, layouts in dealt.items()} == {"FT1": 1, "KL1": 1}


def test_every_game_sets_its_own_shape_and_has_no_dict() -> None:
    for mode in MODES.values():
        table = mode.game(Deal.parse(f"{mode.prefix}-QVQVQVQ"))
        assert isinstance(table, Table)
        assert not hasattr(table, "__dict__")
        assert sum(mode.game.column_sizes) + len(table.stock) == 52 * mode.game.packs
        assert len(table.wanted) == mode.game.foundation_count == 4 * mode.game.packs
