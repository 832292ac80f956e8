"""games.engine.deals: codes, the shuffle, layouts"""

import hashlib
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import MODES, BadCode, BadDeal, Code, Deal, card_text
from games.engine.deals import ALPHABET, DEALS_PER_GAME, Pcg32, shuffle

codes = st.builds(Code, st.sampled_from(list(MODES)), st.integers(0, DEALS_PER_GAME - 1))

# deals.md, Check: the columns and the first cards of the stock.
CHECKS = {
    "FT1-N-AAAAAAV": (
        "7S 3S QD KC | AD 4S 9H 7D | 6D JD KS 9D | 9D 5S 9C 3H | 7H QH 5S 8D | 5H TH 6D AS | QD 7D 4H AH"
        " | 6C 6S TD QC | 3D 6C 4H JH | 7C 3H AC 2H",
        "7C 8H 2S TC 9S 6H",
    ),
    "KL1-D1N-AAAAAAG": (
        "7C | KC 9D | AC JC 4S | 9C 5D 8C AD | KS QS 2C 3S 8S | 9H 9S 5C TS 3C JD | 3D AH 2D 5H JS 7S 6H",
        "2S TH QH 7D JH AS",
    ),
    "FT1-N-7777777": (
        "AD 5C 4S KH | 7D 5H QS 2C | 9S 9S TH 6C | 5D AS 8D TD | TH QH 3D 4C | 7C 7S 3H 4D | TC 2S JS 6H"
        " | AH 7D 8D 8C | 3C JC 9H 2D | 6D 7H AH 4H",
        "4H 6S AD 9D KH JH",
    ),
    "KL1-D3V-QVQVQVQ": (
        "6C | QD 7C | TS QS 5S | 7D 8H 7S 9H | AD 2H 9D JC QH | 8C 4H TD KC 2D KS | JD 3S KH 3H JS 4C 8S",
        "3D TH 4D JH TC AH",
    ),
}


def cards(pile: tuple[int, ...]) -> str:
    return " ".join(map(card_text, pile))


# Codes.


@given(codes)
def test_str_and_parse_are_inverse(code: Code) -> None:
    assert Code.parse(str(code)) == code
    assert str(Code.parse(str(code))) == str(code)
    assert repr(code) == f"Code(mode={code.mode!r}, number={code.number})"


@given(codes, st.sampled_from(["", " ", "\t", "\r\n", " \n "]), st.data())
def test_reading_forgives_case_blanks_and_look_alikes(code: Code, blanks: str, data: st.DataObject) -> None:
    prefix, _, digits = str(code).rpartition("-")
    alike = {"O": "Oo0", "I": "Ii1", "B": "Bb8"}
    digits = "".join(data.draw(st.sampled_from(alike.get(digit, digit + digit.lower()))) for digit in digits)
    prefix = data.draw(st.sampled_from([prefix, prefix.lower(), prefix.title()]))
    assert Code.parse(f"{blanks}{prefix}-{digits}{blanks}") == code


def test_numbers_are_base_32_with_the_most_significant_digit_first() -> None:
    assert Code.parse("FT1-N-AAAAAAV") == Code("ft-n", 21)
    assert Code.parse("KL1-D1N-AAAAAAG") == Code("kl-d1n", 6)
    assert Code.parse("KL1-D3V-BAAAAAA") == Code("kl-d3v", 32**6)
    assert Code.parse("KL1-D1V-7777777") == Code("kl-d1v", 34_359_738_367)
    assert [Code.parse(f"KL1-D3N-AAAAAA{digit}").number for digit in ALPHABET] == list(range(32))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "begins with"),
        ("AAAAAAV", "begins with"),
        ("FT2-N-AAAAAAV", "begins with"),
        ("FT1N-AAAAAAV", "begins with"),
        ("FT1-AAAAAAV", "begins with"),
        ("KL1-D2N-AAAAAAV", "begins with"),
        ("KLI-D1N-AAAAAAG", "begins with"),
        ("FT1 -N-AAAAAAV", "begins with"),
        ("FT1-N-AAA-AAA", "begins with"),
        ("FT1-N-", "has 0"),
        ("FT1-N-AAAAAA", "has 6"),
        ("FT1-N-AAAAAAAV", "has 8"),
        ("FT1-N-AAAAAA9", "'9'"),
        ("FT1-N-AAA AAA", "' '"),
        ("FT1-N-AAAA\nAA", r"'\\n'"),
        ("FT1-N-AAAA\x00AA", r"'\\x00'"),
        ("FT1-N-AAAAAAÀ", "only the letters"),
        ("FT1-N-AAAAAAſ", "only the letters"),
        ("FT1-N-AAAAAA٣", "only the letters"),
        ("FT1-N-AAAAAA\ud800", "only the letters"),
        ("FT1\u2010N\u2010AAAAAAV", "only the letters"),
        ("ＦＴ1-N-AAAAAAV", "only the letters"),
    ],
)
def test_anything_else_is_refused_with_what_is_wrong(text: str, part: str) -> None:
    with pytest.raises(BadCode, match=part) as caught:
        Code.parse(text)
    assert caught.value.reason == "bad_code"
    with pytest.raises(BadCode, match=part):
        Deal.parse(text)


@pytest.mark.parametrize(
    ("text", "problem", "found"),
    [
        ("FT1-N-AAAAAAÀ", "letters", ""),
        ("FT2-N-AAAAAAV", "prefix", ""),
        ("FT1-N-AAAAAA", "length", "6"),
        ("FT1-N-aaaaaa9", "digit", "9"),
    ],
)
def test_pages_are_told_what_is_wrong_in_words_of_their_own(text: str, problem: str, found: str) -> None:
    with pytest.raises(BadCode) as caught:
        Code.parse(text)
    assert (caught.value.problem, caught.value.found) == (problem, found)


@given(st.text())
def test_reading_hostile_text_raises_nothing_but_bad_code(text: str) -> None:
    for hostile in (text, f"FT1-N-{text}", f"{text}-AAAAAAV"):
        try:
            code = Code.parse(hostile)
        except BadCode:
            continue
        assert Code.parse(str(code)) == code


def test_a_code_holds_only_modes_and_numbers_that_exist() -> None:
    for mode, number, problem in (
        ("ft-x", 1, "prefix"),
        ("FT1-N", 1, "prefix"),
        ("ft-n", -1, "length"),
        ("ft-n", DEALS_PER_GAME, "length"),
    ):
        with pytest.raises(BadCode) as caught:
            Code(mode, number)
        assert caught.value.problem == problem


# The shuffle.


def test_generator_gives_the_published_numbers() -> None:
    generator = Pcg32(42, 54)
    published = [0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E]
    assert [generator.next() for _ in published] == published


def test_bounded_numbers_skip_what_would_be_biased(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter([15, 16, 0, (1 << 32) - 1])
    monkeypatch.setattr(Pcg32, "next", lambda self: next(drawn))
    generator = Pcg32.__new__(Pcg32)
    # 2**32 % 100 == 96: numbers below that are drawn again.
    assert (1 << 32) % 100 == 96
    assert generator.below(100) == ((1 << 32) - 1) % 100
    assert list(drawn) == []


@pytest.mark.parametrize(("bound", "drawn"), [(3, [0, 1]), (100, [95, 96]), (48, [15, 16])])
def test_the_first_number_without_bias_is_taken(bound: int, drawn: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter(drawn)
    monkeypatch.setattr(Pcg32, "next", lambda self: next(numbers))
    assert (1 << 32) % bound == drawn[-1]
    assert Pcg32.__new__(Pcg32).below(bound) == drawn[-1] % bound
    assert list(numbers) == []


@given(st.integers(0, DEALS_PER_GAME - 1), st.sampled_from([(1, 52), (2, 104)]))
def test_shuffle_loses_and_doubles_no_card(number: int, game: tuple[int, int]) -> None:
    packs, sequence = game
    assert set(Counter(shuffle(number, packs, sequence)).values()) == {packs}


# Layouts.


@pytest.mark.parametrize("code", CHECKS)
def test_published_deals(code: str) -> None:
    columns, stock = CHECKS[code]
    deal = Deal.parse(code)
    assert " | ".join(map(cards, deal.columns)) == columns
    assert cards(deal.stock).startswith(stock + " ")


def test_same_code_gives_the_same_deal_for_ever() -> None:
    """PySolFC #163: restart dealt other cards. Never change these sums: another shuffle gets another prefix."""
    sums = {}
    for mode in ("ft-n", "kl-d1n"):
        deals = [Deal.parse(Code(mode, number * 34_359_737 % DEALS_PER_GAME)) for number in range(100)]
        text = json.dumps([[cards(pile) for pile in (*deal.columns, deal.stock)] for deal in deals])
        sums[mode] = hashlib.sha256(text.encode()).hexdigest()[:16]
    assert sums == {"ft-n": "18941e809fed3cbb", "kl-d1n": "915d8ec3493f6a0c"}


@given(st.integers(0, DEALS_PER_GAME - 1))
def test_the_four_klondike_prefixes_give_the_same_layout(number: int) -> None:
    layouts = {(deal.columns, deal.stock) for mode in list(MODES)[1:] for deal in [Deal.parse(Code(mode, number))]}
    assert len(layouts) == 1


@given(codes)
def test_a_deal_by_its_cards_is_the_deal_by_its_code(code: Code) -> None:
    deal = Deal.parse(code)
    seen = deal.to_dict()
    again = Deal.of(code.mode, columns=seen["columns"], stock=seen["stock"])
    assert (again.columns, again.stock, again.mode) == (deal.columns, deal.stock, deal.mode)
    assert again.code is None
    assert again.to_dict() == {**seen, "code": None}
    assert str(deal.code) == seen["code"]


def test_a_deal_in_json() -> None:
    seen = Deal.parse("kl1-d3v-qvqvqvq").to_dict()
    assert list(seen) == ["code", "mode", "columns", "face_down", "stock"]
    assert (seen["code"], seen["mode"], seen["face_down"]) == ("KL1-D3V-QVQVQVQ", "kl-d3v", [0, 1, 2, 3, 4, 5, 6])
    assert Deal.parse("FT1-N-AAAAAAV").to_dict()["face_down"] == [0] * 10
    assert json.loads(json.dumps(seen)) == seen


def test_cards_that_are_no_deal_are_refused() -> None:
    seen = Deal.parse("KL1-D1N-AAAAAAG").to_dict()
    columns, stock = seen["columns"], seen["stock"]
    bad = [
        ("kl-d2n", columns, stock, "is no mode"),
        ("ft-n", columns, stock, "has columns of"),
        ("kl-d1n", columns[:-1], stock, "has columns of"),
        ("kl-d1n", columns[::-1], stock, "has columns of"),
        ("kl-d1n", columns, stock[:-1], "8H must be there 1 times, but is 0 times"),
        ("kl-d1n", columns, [*stock, "AS"], "AS must be there 1 times, but is 2 times"),
        ("kl-d1n", columns, [*stock[:-1], "AS"], "must be there"),
        ("kl-d1n", columns, [*stock[:-1], "8h"], "is no card"),
        ("kl-d1n", columns, [*stock[:-1], None], "is no card"),
    ]
    for mode, some_columns, some_stock, part in bad:
        with pytest.raises(BadDeal, match=part) as caught:
            Deal.of(mode, columns=some_columns, stock=some_stock)
        assert caught.value.reason == "bad_deal"
