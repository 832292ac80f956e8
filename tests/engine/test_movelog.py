"""games.engine.movelog: text to actions and back"""

import itertools
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import BadNotation, Kind, LogTooLarge, TooManyActions, format_log, parse_action, parse_log
from games.engine.movelog import MAX_ACTIONS, MAX_BYTES, _all_actions
from tests.engine.plain_rules import GRAMMAR
from tests.engine.tables import ALL_ACTIONS

SEPARATORS = " \t\r\n"
actions = st.sampled_from(ALL_ACTIONS)
separators = st.text(SEPARATORS, min_size=1, max_size=4)
#: What Python, JavaScript or a person takes for a blank, but the notation doesn't.
OTHER_BLANKS = sorted(
    {chr(point) for point in range(sys.maxunicode + 1) if chr(point).isspace()} - set(SEPARATORS)
    | set("\ufeff\u200b\u200c\u200d\u2060\u180e\u00ad\x00\x08\x7f")
)


# One action.


def test_parse_and_str_are_inverse_for_every_action_of_the_notation() -> None:
    assert len(set(ALL_ACTIONS)) == len(ALL_ACTIONS) == 10_081
    assert [str(parse_action(text)) for text in ALL_ACTIONS] == ALL_ACTIONS
    parsed = [parse_action(text) for text in ALL_ACTIONS]
    assert [parse_action(str(action)) for action in parsed] == parsed
    assert len(set(parsed)) == len(parsed)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("d", (Kind.DRAW, 0, 0, 1)),
        ("r", (Kind.REDEAL, 0, 0, 1)),
        ("u", (Kind.UNDO, 0, 0, 1)),
        ("wc", (Kind.WASTE_TO_COLUMN, 0, 2, 1)),
        ("w2", (Kind.WASTE_TO_FOUNDATION, 0, 1, 1)),
        ("ab", (Kind.COLUMN_TO_COLUMN, 0, 1, 1)),
        ("ab3", (Kind.COLUMN_TO_COLUMN, 0, 1, 3)),
        ("ja99", (Kind.COLUMN_TO_COLUMN, 9, 0, 99)),
        ("cc", (Kind.COLUMN_TO_COLUMN, 2, 2, 1)),
        ("a1", (Kind.COLUMN_TO_FOUNDATION, 0, 0, 1)),
        ("j8", (Kind.COLUMN_TO_FOUNDATION, 9, 7, 1)),
        ("1a", (Kind.FOUNDATION_TO_COLUMN, 0, 0, 1)),
        ("8j", (Kind.FOUNDATION_TO_COLUMN, 7, 9, 1)),
    ],
)
def test_what_an_action_means(text: str, parts: tuple[Kind, int, int, int]) -> None:
    action = parse_action(text)
    assert (action.kind, action.source, action.target, action.count) == parts


def test_the_table_of_actions_is_the_notation_and_nothing_else() -> None:
    """Made anew here: the one in use was made when the module was imported."""
    columns, foundations = "abcdefghij", "12345678"
    expected = {"d": (Kind.DRAW, 0, 0, 1), "r": (Kind.REDEAL, 0, 0, 1), "u": (Kind.UNDO, 0, 0, 1)}
    expected |= {f"w{f}": (Kind.WASTE_TO_FOUNDATION, 0, int(f) - 1, 1) for f in foundations}
    expected |= {f"w{c}": (Kind.WASTE_TO_COLUMN, 0, ord(c) - ord("a"), 1) for c in columns}
    for a, f in itertools.product(columns, foundations):
        expected[a + f] = (Kind.COLUMN_TO_FOUNDATION, ord(a) - ord("a"), int(f) - 1, 1)
        expected[f + a] = (Kind.FOUNDATION_TO_COLUMN, int(f) - 1, ord(a) - ord("a"), 1)
    for a, b, n in itertools.product(columns, columns, range(1, 100)):
        text = f"{a}{b}{n}" if n > 1 else a + b
        expected[text] = (Kind.COLUMN_TO_COLUMN, ord(a) - ord("a"), ord(b) - ord("a"), n)
    made = [(action.text, (action.kind, action.source, action.target, action.count)) for action in _all_actions()]
    assert len(made) == len(expected) and dict(made) == expected


def test_every_other_short_text_is_bad_notation() -> None:
    pool = "abjkwWdruUA0123458 9\u00e9-"
    tried = 0
    for size in range(5):
        for letters in itertools.product(pool if size < 4 else "abw0123", repeat=size):
            text = "".join(letters)
            if GRAMMAR.fullmatch(text):
                assert str(parse_action(text)) == text
                continue
            with pytest.raises(BadNotation) as caught:
                parse_action(text)
            assert (caught.value.index, caught.value.action) == (0, text)
            tried += 1
    assert tried > 10_000


# Foundation to foundation, counts, cases, digits and letters of other scripts: what seems right to somebody.
NEARLY = """
    12 11 ab0 ab1 ab01 ab03 ab100 ab-2 ab+2 ab2.0 a12 1a2 wa2 w12 U D AB Ab a9 9a k1 ak wk w9 ww aw 1w w 1 a
    ab２ ab² a１ ａb аb ab, ab3; null
"""


@pytest.mark.parametrize("text", [*NEARLY.split(), "ab3\x00", "\ud800", "d" * 65_000])
def test_nearly_an_action(text: str) -> None:
    with pytest.raises(BadNotation):
        parse_action(text)
    with pytest.raises(BadNotation) as caught:
        parse_log(f"d {text} d zz")
    assert (caught.value.reason, caught.value.index, caught.value.action) == ("bad_notation", 1, text)
    assert len(caught.value.message) < 300


# A whole log.


@given(st.lists(actions, max_size=40))
def test_format_and_parse_are_inverse(texts: list[str]) -> None:
    parsed = [parse_action(text) for text in texts]
    assert format_log(parsed) == " ".join(texts)
    assert parse_log(format_log(parsed)) == parsed


@given(st.lists(st.tuples(actions, separators), max_size=40), st.text(SEPARATORS, max_size=3))
def test_any_number_of_separators_parses_to_the_canonical_form(words: list[tuple[str, str]], before: str) -> None:
    text = before + "".join(word + separator for word, separator in words)
    canonical = format_log(parse_log(text))
    assert canonical == " ".join(word for word, _ in words)
    assert format_log(parse_log(canonical)) == canonical
    assert parse_log(text.rstrip(SEPARATORS)) == parse_log(text)


@pytest.mark.parametrize("text", ["", " ", "\n", "\t \r\n"])
def test_an_empty_log_has_no_actions(text: str) -> None:
    assert parse_log(text) == []
    assert format_log([]) == ""


@pytest.mark.parametrize("blank", OTHER_BLANKS, ids=lambda blank: f"U+{ord(blank):04X}")
def test_every_other_blank_belongs_to_an_action(blank: str) -> None:
    places = [
        (f"d d{blank}d d", 1, f"d{blank}d"),
        (f"d {blank} d", 1, blank),
        (f"{blank}d", 0, f"{blank}d"),
        (f"d d{blank}", 1, f"d{blank}"),
    ]
    for text, index, action in places:
        with pytest.raises(BadNotation) as caught:
            parse_log(text)
        assert (caught.value.index, caught.value.action) == (index, action)


@given(st.text(st.characters() | st.sampled_from("dru wab12\n\t\x00\ud800\ufeff\u2028"), max_size=30))
def test_hostile_text_parses_or_is_bad_notation_at_the_first_bad_word(text: str) -> None:
    words = [word for word in text.replace("\t", " ").replace("\r", " ").replace("\n", " ").split(" ") if word]
    bad = [index for index, word in enumerate(words) if not GRAMMAR.fullmatch(word)]
    try:
        assert format_log(parse_log(text)) == " ".join(words)
        assert not bad
    except BadNotation as error:
        assert (error.index, error.action) == (bad[0], words[bad[0]])


# Limits.


def test_64_kib_are_counted_in_bytes_of_utf_8() -> None:
    assert parse_log("d" + " " * (MAX_BYTES - 1)) == [parse_action("d")]
    blanks, third = " " * (MAX_BYTES - 1), MAX_BYTES // 3
    for full in ("d" + blanks, "é" * (MAX_BYTES // 2), "€" * third + "d", "😀" * (MAX_BYTES // 4)):
        assert len(full.encode()) == MAX_BYTES == 65_536
        with pytest.raises(LogTooLarge) as caught:
            parse_log(full + " ")
        assert caught.value.reason == "log_too_large"
        assert (caught.value.index, caught.value.action) == (None, None)
        assert "65,537" in caught.value.message
        if "d " not in full:
            with pytest.raises(BadNotation):
                parse_log(full)


def test_a_lone_surrogate_counts_three_bytes() -> None:
    full = "\ud800" * (MAX_BYTES // 3)
    with pytest.raises(BadNotation):
        parse_log(full + " ")
    with pytest.raises(LogTooLarge):
        parse_log(full + "  ")


def test_10_000_actions_but_not_10_001() -> None:
    assert len(parse_log("d " * MAX_ACTIONS)) == MAX_ACTIONS == 10_000
    with pytest.raises(TooManyActions) as caught:
        parse_log("d " * MAX_ACTIONS + "d")
    assert (caught.value.reason, caught.value.index, caught.value.action) == ("too_many_actions", None, None)
    assert "10,001" in caught.value.message


def test_bytes_are_looked_at_first_then_the_count_then_the_notation() -> None:
    with pytest.raises(LogTooLarge):
        parse_log("no ab1 " * 20_000)
    with pytest.raises(TooManyActions):
        parse_log("no " + "d " * MAX_ACTIONS)
    with pytest.raises(BadNotation):
        parse_log("no " + "d " * (MAX_ACTIONS - 1))
