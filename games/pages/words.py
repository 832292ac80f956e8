"""What the board says: the sentences that its modules fill in, translated by the page (`static/games/words.js`).

A key with ``.one`` and ``.other`` has a form for each number; languages with more forms add theirs.
"""

from __future__ import annotations

from collections.abc import Callable

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from games.engine import MODES, BadCode
from games.engine.deals import ALPHABET, DIGITS
from games.engine.registry import MODE_OF_PREFIX

#: A number of each plural form of the languages here: which form it is, the browser says by itself.
_COUNTS = {"one": 1, "other": 5}


def mode_name(mode: str) -> str:
    """A mode in words."""
    return {
        "ft-n": _("Forty Thieves"),
        "kl-d1n": _("Klondike, easy (draw 1)"),
        "kl-d3n": _("Klondike, hard (draw 3)"),
        "kl-d1v": _("Klondike Vegas, easy (draw 1)"),
        "kl-d3v": _("Klondike Vegas, hard (draw 3)"),
    }[mode]


def code_problem(error: BadCode) -> str:
    """What is wrong with a code."""
    return _code_problems()[f"bad_code.{error.problem}"].format(found=error.found)


def board_words() -> dict[str, str]:
    """All sentences of the board by their keys."""
    return {
        **{f"mode.{mode}": mode_name(mode) for mode in MODES},
        **card_words(),
        **_refusals(),
        **_announcements(),
        **_page_words(),
        **_problems(),
    }


def watching_words() -> dict[str, str]:
    """What the table of a replay says: cards, piles, and where the controls are."""
    return {
        **card_words(),
        **{key: sentence for key, sentence in _announcements().items() if key.startswith("label.")},
        "said.score": _("Score {score}."),
        "replay.position": _("Action {position} of {last}"),
    }


def _plural(key: str, sentence: Callable[[int], str]) -> dict[str, str]:
    return {f"{key}.{form}": sentence(count) for form, count in _COUNTS.items()}


def card_words() -> dict[str, str]:
    """Cards, suits and piles."""
    numbers = {rank: _("{rank} of {suit}").replace("{rank}", str(rank)) for rank in range(2, 11)}
    named = {1: _("ace of {suit}"), 11: _("jack of {suit}"), 12: _("queen of {suit}"), 13: _("king of {suit}")}
    suits = [_("spades"), _("hearts"), _("diamonds"), _("clubs")]
    return {
        **{f"card.{rank}": name for rank, name in (named | numbers).items()},
        **{f"suit.{suit}": name for suit, name in enumerate(suits)},
        "pile.s": _("the stock"),
        "pile.w": _("the waste"),
        "pile.column": _("column {name}"),
        "pile.foundation": _("foundation {name}"),
    }


def _problems() -> dict[str, str]:
    """What the server may refuse, by the codes of its answers."""
    return {
        "problem.banned": _("You are banned and can't play for the boards; your account says why, and until when."),
        "problem.challenge_closed": _("This challenge is over: its deal can be played as practice soon."),
        "problem.already_submitted": _("Another game of this attempt was sent before: that one counts."),
        "problem.too_many_rejected": _("Too many games of this attempt were rejected: start a new one."),
        "problem.not_found": _("The server knows no such game of yours."),
        "problem.too_many_calls": _("Too many calls in a short time: wait a minute, then try again."),
        "problem.other": _("The server refuses this. Its answer: {message}"),
    }


def _refusals() -> dict[str, str]:
    return {
        "refused.game_over": _("The game is won: nothing can be played or taken back any more."),
        "refused.closed": _("This game has been handed in: nothing can be played any more."),
        "refused.log_full": _("This game has reached 10,000 actions, and no more are taken. All of it is kept."),
        "refused.nothing_to_undo": _("There is nothing to take back: only the last 100 actions can be."),
        "refused.stock_empty": _("The stock is empty, and in this game the waste isn't turned over."),
        "refused.no_recycle": _("The waste can't be turned over: this game has one pass through the stock."),
        **_plural(
            "refused.stock_not_empty",
            lambda n: ngettext(
                "{count} card is left in the stock: draw it first.",
                "{count} cards are left in the stock: draw them first.",
                n,
            ),
        ),
        "refused.waste_empty": _("Stock and waste are empty: there is nothing to turn over."),
        "refused.no_such_pile": _("There is no such pile in this game."),
        "refused.same_pile": _("The card lies there already."),
        "refused.one_card_at_a_time": _("In Forty Thieves one card moves at a time."),
        "refused.pile_empty": _("There is no card to move: {pile} is empty."),
        **_plural(
            "refused.not_enough_cards",
            lambda n: ngettext(
                "Only {count} card lies face up in {pile}.", "Only {count} cards lie face up in {pile}.", n
            ),
        ),
        "refused.wrong_foundation": _("The {card} can't go on {pile}: it takes only {suit}."),
        "refused.wrong_rank_home": _("The {card} can't go on {pile}: it takes the {wanted} next."),
        "refused.complete": _("The {card} can't go on {pile}: it is complete."),
        "refused.wrong_rank": _(
            "The {card} can't go on the {onto}: in a column a card goes on one exactly one rank higher."
        ),
        "refused.wrong_suit": _("The {card} can't go on the {onto}: in a column a card goes on one of the same suit."),
        "refused.wrong_colour": _(
            "The {card} can't go on the {onto}: in a column a card goes on one of the other colour."
        ),
        "refused.not_a_king": _("The {card} can't go on an empty column: only a king can."),
        "refused.no_place": _("No place takes the {card} now."),
        "refused.between_foundations": _("A card of a foundation can only be taken back to a column."),
        "refused.run_home": _("Cards go to a foundation one at a time."),
        "refused.stock_takes_none": _("Cards can't be put on {pile}."),
        **_code_problems(),
    }


def _code_problems() -> dict[str, str]:
    return {
        "bad_code.letters": _("A deal code has only the letters A to Z, digits and hyphens, like FT1-N-AAAAAAV."),
        "bad_code.prefix": _("A deal code begins with {prefixes} and a hyphen, like FT1-N-AAAAAAV.").format(
            prefixes=", ".join(MODE_OF_PREFIX)
        ),
        "bad_code.length": _("A deal code ends in {digits} characters after the last hyphen, not {{found}}.").format(
            digits=DIGITS
        ),
        "bad_code.digit": _("{{found}} can't stand at the end of a deal code: only {alphabet}.").format(
            alphabet=f"{ALPHABET[0]}–{ALPHABET[25]}, {ALPHABET[26]}–{ALPHABET[-1]}"
        ),
    }


def _announcements() -> dict[str, str]:
    return {
        **_plural(
            "said.held",
            lambda n: ngettext("You hold the {card}.", "You hold {count} cards, the {card} at their head.", n),
        ),
        "said.targets": _("It can go to: {piles}."),
        "said.no_target": _("No place takes it."),
        "said.released": _("Put back."),
        "said.drawn": _("Drawn: {cards}."),
        **_plural(
            "said.stock", lambda n: ngettext("{count} card left in the stock.", "{count} cards left in the stock.", n)
        ),
        "said.redealt": _("The waste was turned over."),
        "said.undone": _("The last action was taken back."),
        "said.moved": _("The {card} moved to {pile}."),
        "said.moved_run": _("{cards} cards from the {card} on moved to {pile}."),
        "said.turned": _("The {card} turned up."),
        "said.score": _("Score {score}."),
        "said.won": _("All cards are on the foundations: you have won!"),
        **_plural(
            "said.room",
            lambda n: ngettext("This game takes {count} more action.", "This game takes {count} more actions.", n),
        ),
        "label.empty": _("{pile}: empty"),
        **_plural("label.top", lambda n: ngettext("{pile}: {card}", "{pile}: {card} on top of {count} cards", n)),
        "label.column": _("{pile}: {cards}"),
        **_plural("label.face_down", lambda n: ngettext("({count} card face down)", "({count} cards face down)", n)),
        **_plural("label.stock", lambda n: ngettext("{pile}: {count} card", "{pile}: {count} cards", n)),
        "label.redeal": _("{pile}: empty, turns the waste over"),
        "label.no_redeal": _("{pile}: empty, nothing left to draw"),
    }


def _page_words() -> dict[str, str]:
    return {
        "copied": _("Copied"),
        "ask.restart": _("Start this deal again? What you have played of it is lost."),
        "ask.restart_yes": _("Start again"),
        "ask.give_up": _("Give up? The game is handed in as it stands, with a score of {score}, and can't be resumed."),
        "ask.give_up_yes": _("Give up"),
        "daily.attempt": _("Attempt {number}."),
        "daily.first": _("It is the one that counts on the board of first attempts."),
        "daily.first_of_guest": _("It counts on the board of best results; guests aren't on that of first attempts."),
        "daily.not_first": _(
            "It counts on the board of best results; only attempt 1 counts on that of first attempts."
        ),
        **_plural(
            "daily.played",
            lambda n: ngettext(
                "You have played it once: your score is {score}.",
                "You have played it {count} times: your best score is {score}.",
                n,
            ),
        ),
        "daily.signed_out": _("You have been signed out. Sign in again to play."),
        "daily.time_left": _("Open for {time}"),
        "daily.closed": _("This daily has closed. A game begun in time still counts if it arrives within minutes."),
        "offline.start": _("There is no connection: a daily needs one to start. Practice works without."),
        **_plural(
            "offline.waiting",
            lambda n: ngettext(
                "{count} finished game is waiting for a connection.",
                "{count} finished games are waiting for a connection.",
                n,
            ),
        ),
        "result.sending": _("Your game is being sent"),
        "result.kept": _(
            "It is kept here and sent as soon as there is a connection. It counts if it arrives by {time}."
        ),
        "result.checking": _("Your game is being checked …"),
        "result.refused": _("The server didn't take this game"),
        "result.rejected": _("This game was rejected"),
        "result.failing_action": _("Action {index}, “{action}”: {message}"),
        "result.failed": _("This game couldn't be checked"),
        "result.failed_more": _("Something broke on the server. The game is kept, and somebody will look at it."),
        "result.won": pgettext("result", "Won!"),
        "result.not_won": _("Not won this time"),
        "result.score": _("Score {score} in {moves} moves"),
        "result.shown_score": _("The score on the table was {score}; boards count each card's way home once."),
        "result.time": _("Time {time}"),
        "result.unranked": _("It arrived after the daily was over: it is kept as practice."),
        "result.best": _("Rank {rank} of {total} on the board of best results: no worse than {percent} of the others."),
        "result.not_best": _("An earlier attempt of yours stays on the board of best results."),
        "result.first": _(
            "Rank {rank} of {total} on the board of first attempts: no worse than {percent} of the others."
        ),
        "result.first_guest": _("Guests aren't on the board of first attempts."),
        "result.par": _("The fewest moves of any known win: {moves}."),
        "result.signed_out": _("You have been signed out"),
        "result.signed_out_more": _("Your game is with the server. Sign in again to see what became of it."),
        "result.disputed": _("Somebody will look at it. Thank you."),
        "result.not_disputed": _("That couldn't be sent now. Try again later."),
        **_plural(
            "result.board", lambda n: ngettext("Best results: {count} player", "Best results: {count} players", n)
        ),
        "board.rank": _("Rank"),
        "board.player": _("Player"),
        "board.score": _("Score"),
        "board.moves": _("Moves"),
        "board.you": _("{name} (you)"),
        "result.place": _("Rank {rank} of {total}"),
        **_plural("result.histogram", lambda n: ngettext("{count} player, {won} won", "{count} players, {won} won", n)),
        **_plural(
            "result.bar", lambda n: ngettext("{low} to {high}: {count} player", "{low} to {high}: {count} players", n)
        ),
    }
