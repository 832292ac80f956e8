"""Mutated logs for `verify`: whatever a log holds, it gets a verdict that can be true, and soon."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from random import Random
from types import FrameType
from typing import Any

from games.engine import FIGURES, MODES, Deal, Table, Verdict, format_log, parse_log, verify

from .plain_rules import plain_verdict
from .tables import ALL_ACTIONS, deal_of, read_vectors

#: CPU that a log may take: the longest takes a few hundredths of a second.
HANG_SECONDS = 5.0
#: One log in so many is also judged by the plain rules (`plain_rules`), which share no code with the engine.
PLAIN_EVERY = 50

#: What doesn't belong into a log: digits of other scripts, look-alikes, blanks that are no separators, controls.
HOSTILE = [
    *"٣३３¹²Ⅷ①аｄĳİıẞß",
    *"\u00a0\ufeff\u200b\u2028\u2029\u0085\u3000\u180e\u202e\x00\x0b\x0c\x1b\x7f",
    *("\ud800", "\udfff", "💥", "e\u0301", "-1", "+1", "0", "00", "1e9", "9" * 400, "%s", "{}", "\\", "'", "--", "<b>"),
    *("d\x00d", "D", "WA", "ab1", "ab03", "ab100", "ab" + "9" * 30, "11", "ww", "aw", "1w", "k1", "a9", "a0", "null"),
]
SEPARATORS = [" ", "  ", "\t", "\r\n", "\n", "\r", " \t\r\n "]


def corpus() -> list[tuple[Deal, str]]:
    """Deals with a log each, of all modes: won, lost, and with each kind of error."""
    return [(deal_of(entry), entry["log"]) for name in ("replays", "codes", "hand") for entry in read_vectors(name)]


def mutants(seed: int, count: int) -> Iterator[tuple[Deal, str]]:
    """So many deals, each with a log that was one of the corpus before it was changed in some places."""
    random, games = Random(seed), corpus()
    for _ in range(count):
        deal, log = random.choice(games)
        yield deal, mutate(log, random, other=random.choice(games)[1])


def mutate(log: str, random: Random, *, other: str) -> str:
    """The log with one to six changes, here and there of the kind that no client would make."""
    words = log.split()
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        random.choice(_CHANGES)(words, random, other)
    text = random.choice(SEPARATORS).join(words)
    return _spoil_text(text, random) if random.random() < 0.2 else text


def _swap(words: list[str], random: Random, _: str) -> None:
    if len(words) > 1:
        i, j = random.randrange(len(words)), random.randrange(len(words))
        words[i], words[j] = words[j], words[i]


def _delete(words: list[str], random: Random, _: str) -> None:
    start = random.randrange(len(words) + 1)
    del words[start : start + random.choice((1, 1, 2, 20))]


def _repeat(words: list[str], random: Random, _: str) -> None:
    start = random.randrange(len(words) + 1)
    words[start:start] = words[start : start + random.choice((1, 3, 40))]


def _replace(words: list[str], random: Random, _: str) -> None:
    if words:
        words[random.randrange(len(words))] = random.choice(ALL_ACTIONS)


def _insert(words: list[str], random: Random, _: str) -> None:
    words.insert(random.randrange(len(words) + 1), random.choice(["u", "d", "r", random.choice(ALL_ACTIONS)]))


def _take_back(words: list[str], random: Random, _: str) -> None:
    start = random.randrange(len(words) + 1)
    words[start:start] = ["u"] * random.choice((1, 2, 99, 101))


def _splice(words: list[str], random: Random, other: str) -> None:
    start = random.randrange(len(words) + 1)
    words[start:] = other.split()[start:]


def _poison(words: list[str], random: Random, _: str) -> None:
    words.insert(random.randrange(len(words) + 1), random.choice(HOSTILE))


def _blow_up(words: list[str], random: Random, _: str) -> None:
    if words and random.random() < 0.02:
        words *= random.choice((2, 11_000 // len(words) + 1, 70_000 // len(words)))


_CHANGES = (_swap, _delete, _repeat, _replace, _insert, _take_back, _splice, _poison, _blow_up)


def _spoil_text(text: str, random: Random) -> str:
    place = random.randrange(len(text) + 1)
    hostile = random.choice(HOSTILE)
    return random.choice(
        (
            text[:place] + hostile + text[place:],
            text[:place] + hostile + text[place + 1 :],
            text[:place],
            text[:place] + text[place + 1 :],
            text.upper(),
            text.replace(" ", hostile),
            hostile + text,
            text + hostile,
        )
    )


class Hang(BaseException):
    """A log took longer than any may."""


def judge(deal: Deal, log: str, *, plainly: bool) -> Verdict:
    """The verdict on a log. Raises `AssertionError` where it can't be true, `Hang` where it takes too long."""
    signal.signal(signal.SIGVTALRM, _hang)
    signal.setitimer(signal.ITIMER_VIRTUAL, HANG_SECONDS)
    try:
        verdict = verify(deal, log)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    shown = json.loads(json.dumps(verdict.to_dict()))
    _check_figures(deal, log, shown)
    if plainly:
        _check_against_plain_rules(deal, log, shown)
    return verdict


def _hang(number: int, frame: FrameType | None) -> None:
    raise Hang


def _check_figures(deal: Deal, log: str, shown: dict[str, Any]) -> None:
    game: type[Table] = MODES[deal.mode].game
    cards = 52 * game.packs
    assert shown["valid"] == (shown["error"] is None)
    assert shown["won"] == (shown["foundation_cards"] == cards)
    assert 0 <= shown["foundation_cards"] <= cards and shown["ranked_score"] <= shown["score"]
    assert shown["ranked_score"] >= (game.score_floor if game.start_score >= 0 else game.start_score)
    assert all(shown[name] >= 0 for name in FIGURES if name not in ("score", "ranked_score", "won"))
    assert shown["draws"] + shown["recycles"] + shown["waste_to_column"] + shown["taken_back"] <= shown["moves"]
    error = shown["error"]
    if error is None:
        assert shown["moves"] + shown["undos"] == len(log.split())
        canonical = format_log(parse_log(log))
        assert verify(deal, canonical) == verify(deal, log)
    elif error["index"] is not None and error["reason"] != "bad_notation":
        assert shown["moves"] + shown["undos"] == error["index"]
    else:
        assert shown["moves"] + shown["undos"] == shown["draws"] == 0


def _check_against_plain_rules(deal: Deal, log: str, shown: dict[str, Any]) -> None:
    cards = deal.to_dict()
    expected = plain_verdict(deal.mode, cards["columns"], cards["stock"], log)
    found = {name: value for name, value in shown.items() if name != "code"}
    if found["error"]:
        found["error"] = {name: value for name, value in found["error"].items() if name != "message"}
    assert found == json.loads(json.dumps(expected)), log


def judge_many(seed: int, count: int) -> dict[str, int]:
    """Judge so many mutants; returns how many got which reason, "valid" and "won" among them.

    Raises what `judge` raises, with the log in a note.
    """
    reasons: dict[str, int] = {}
    for number, (deal, log) in enumerate(mutants(seed, count)):
        try:
            verdict = judge(deal, log, plainly=number % PLAIN_EVERY == 0)
        except BaseException as error:
            error.add_note(f"seed {seed}, log {number} of {deal}: {log!r}")
            raise
        reason = verdict.error.reason if verdict.error else "won" if verdict.won else "valid"
        reasons[reason] = reasons.get(reason, 0) + 1
    return reasons
