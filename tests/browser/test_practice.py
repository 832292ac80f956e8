"""Practice on the board, in Chromium: every way to play, and what must not go wrong with cards and log."""

from __future__ import annotations

import pytest
from playwright.sync_api import Error, expect

from games.engine import Deal, verify

from .conftest import KLONDIKE, KLONDIKE_WIN, PHONE, Opener, Table

PRACTICE = f"/practice/{KLONDIKE}/"
#: The board is laid out anew with the next picture; before, the columns are where they were.
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
VERDICT = verify(Deal.parse(KLONDIKE), " ".join(KLONDIKE_WIN))


@pytest.fixture
def table(open_table: Opener) -> Table:
    return open_table(PRACTICE).wait()


def kept_log(table: Table) -> str:
    """The log as the browser's database has it."""
    return str(
        table.page.evaluate(
            """id => new Promise((resolve) => {
              const open = indexedDB.open("qvserver");
              open.onsuccess = () => {
                const get = open.result.transaction("games").objectStore("games").get(id);
                get.onsuccess = () => resolve(get.result?.log ?? "");
              };
            })""",
            f"practice:{KLONDIKE}",
        )
    )


def test_a_game_is_won_by_keyboard_and_the_focus_stays_on_the_table(table: Table) -> None:
    for action in KLONDIKE_WIN:
        table.play_by_keys([action])
        assert table.page.evaluate("document.activeElement.dataset.pile") is not None, action
    assert table.text("#result-title") == "Won!"
    assert kept_log(table) == " ".join(KLONDIKE_WIN)
    assert (table.text("#score"), table.moves) == (str(VERDICT.score), VERDICT.moves)


def test_a_screen_reader_hears_what_happens(table: Table) -> None:
    table.press("e", "Enter")
    assert table.text("#announcer").endswith("It can go to: column b.")
    table.press("b")
    said = table.text("#announcer")
    assert "moved to column b" in said
    assert "turned up" in said
    assert "Score 5" in said
    assert table.page.get_attribute('.pile[data-pile="s"]', "aria-label") == "the stock: 24 cards"
    table.press("s")
    assert table.text("#announcer").startswith("Drawn: ")
    table.press("r")
    assert "Drawn: " in table.text("#announcer")


def test_arrows_reach_every_pile(table: Table) -> None:
    table.page.focus('.pile[data-pile="a"]')
    seen = []
    for key in ["ArrowUp", *["ArrowRight"] * 5, "ArrowDown", *["ArrowLeft"] * 6]:
        table.press(key)
        seen.append(table.page.evaluate("document.activeElement.dataset.pile"))
    assert seen == [*"1234ws", *"gfedcba"]


def test_a_refused_move_is_explained_with_its_cards_unless_that_is_off(open_table: Opener) -> None:
    table = open_table(PRACTICE).wait()
    before = table.cards()
    table.drag("ab")
    message = table.text("#message")
    assert "can't go on the" in message
    assert "one exactly one rank higher" in message or "other colour" in message
    table.drag("a1")
    assert "foundation 1" in table.text("#message")
    assert table.cards() == before
    assert table.moves == 0
    silent = open_table(PRACTICE, settings={"interactiveRules": False}).wait()
    silent.drag("ab")
    assert not silent.page.is_visible("#message")


def test_only_the_last_100_actions_are_taken_back_and_moves_never_fall(table: Table) -> None:
    for _ in range(105):
        table.press("s")
    assert table.moves == 105
    for _ in range(100):
        table.press("Control+z")
    assert table.moves == 105
    assert not table.page.is_visible("#message")
    table.page.click("#undo", force=True)
    assert "only the last 100" in table.text("#message")
    assert len(table.cards()["s"]) == 24 - 5


def test_a_reload_resumes_card_for_card(table: Table) -> None:
    table.play_by_keys(KLONDIKE_WIN[:40])
    table.press("u", "u")
    cards, score, moves = table.cards(), table.text("#score"), table.moves
    table.page.reload()
    table.wait()
    assert table.cards() == cards
    assert (table.text("#score"), table.moves) == (score, moves)
    table.press("u")
    assert table.moves == moves
    assert table.cards() != cards


def test_a_crash_loses_nothing(open_table: Opener) -> None:
    table = open_table(PRACTICE).wait()
    context = table.page.context
    table.play_by_keys(KLONDIKE_WIN[:7])
    cards = table.cards()
    table.page.wait_for_timeout(200)
    with pytest.raises(Error):
        table.page.goto("chrome://crash", timeout=3000)
    assert open_table(PRACTICE, context=context).wait().cards() == cards


def test_a_tap_brings_home_and_a_double_tap_finds_the_best_place(table: Table) -> None:
    table.play_by_mouse(["eb"])
    table.click("e")
    assert len(table.cards()["3"]) == 1
    table.page.wait_for_timeout(350)
    table.page.mouse.dblclick(*table.middle("e"))
    assert table.moves == 3
    assert [len(table.cards()[pile]) for pile in "ef"] == [2, 7]


def test_double_tap_can_be_turned_off(open_table: Opener) -> None:
    table = open_table(PRACTICE, settings={"doubleTap": False}).wait()
    table.play_by_mouse(["eb", "e3"])
    table.page.mouse.dblclick(*table.middle("e"))
    assert table.moves == 2


def test_a_triple_click_plays_only_the_card_that_was_meant(table: Table) -> None:
    table.play_by_mouse(["eb"])
    before = table.cards()
    table.page.mouse.click(*table.middle("e"), click_count=3, delay=30)
    after = table.cards()
    assert table.moves == 2
    assert after["3"] == before["e"][-1:]
    assert after["e"] == before["e"][:-1]


def test_quick_taps_on_the_stock_each_draw(table: Table) -> None:
    for _ in range(5):
        table.click("s")
    assert len(table.cards()["w"]) == 5


def test_a_double_tap_by_finger_plays_and_doesnt_zoom(open_table: Opener) -> None:
    table = open_table(PRACTICE, viewport=PHONE, has_touch=True, is_mobile=True).wait()
    for _ in range(2):
        table.page.touchscreen.tap(*table.middle("e"))
    assert table.moves == 1
    assert [len(table.cards()[pile]) for pile in "eb"] == [4, 3]
    assert table.page.evaluate("visualViewport.scale") == 1


def test_turning_the_phone_in_mid_drag_loses_no_card(open_table: Opener) -> None:
    table = open_table(PRACTICE, viewport=PHONE, has_touch=True, is_mobile=True).wait()
    before = table.cards()
    x, y = table.grip("e")
    table.touch("touchStart", (x, y))
    table.touch("touchMove", (x - 30, y + 90))
    expect(table.page.locator(".card.dragged")).to_have_count(1)
    table.page.set_viewport_size({"width": 844, "height": 390})
    table.page.wait_for_function("() => innerWidth === 844")
    table.page.evaluate(TWO_FRAMES)
    table.touch("touchMove", table.grip("b"))
    table.touch("touchEnd")
    after = table.cards()
    assert after in (before, {**before, "b": [*before["b"], before["e"][-1]], "e": before["e"][:-1]})
    expect(table.page.locator(".card.dragged")).to_have_count(0)
    table.touch_drag("bc")
    assert sideways(table) <= 0


def test_a_resize_in_mid_drag_loses_no_card(table: Table) -> None:
    before = table.cards()
    table.page.mouse.move(*table.grip("e"))
    table.page.mouse.down()
    table.page.mouse.move(600, 500, steps=4)
    table.page.set_viewport_size({"width": 700, "height": 900})
    table.page.wait_for_function("() => innerWidth === 700")
    table.page.evaluate(TWO_FRAMES)
    table.page.mouse.move(*table.grip("b"), steps=4)
    table.page.mouse.up()
    after = table.cards()
    assert sorted(card for pile in after.values() for card in pile) == sorted(
        card for pile in before.values() for card in pile
    )
    assert after["b"] == [*before["b"], before["e"][-1]]
    assert sideways(table) <= 0


def test_an_undo_in_mid_drag_and_mid_animation_keeps_cards_and_places(open_table: Opener) -> None:
    table = open_table(PRACTICE, settings={"animation": "slow"}).wait()
    before = table.cards()
    table.drag("eb")
    table.page.mouse.move(*table.grip("g"))
    table.page.mouse.down()
    table.page.mouse.move(500, 400, steps=3)
    table.press("Control+z")
    table.page.mouse.move(300, 300, steps=3)
    table.page.mouse.up()
    assert table.cards() == before
    assert table.moves == 1
    table.page.wait_for_timeout(900)
    assert table.page.locator(".dragged, .travelling").count() == 0
    places = table.page.evaluate(
        """() => [...document.querySelectorAll(".card")].every((card) => {
          const { e, f } = new DOMMatrix(card.style.transform);
          const { left, top } = card.getBoundingClientRect();
          const table = document.querySelector("#table").getBoundingClientRect();
          return Math.abs(table.left + e - left) < 1.5 && Math.abs(table.top + f - top) < 1.5;
        })"""
    )
    assert places


@pytest.mark.parametrize("animation", ["off", "slow"])
def test_cards_that_follow_each_other_quickly_lie_in_their_order(open_table: Opener, animation: str) -> None:
    table = open_table(PRACTICE, settings={"animation": animation}).wait()
    table.play_by_keys(KLONDIKE_WIN[:45])
    if animation != "off":
        # Longer than a card travels, and shorter than what frees one that never arrives.
        table.page.wait_for_timeout(500)
    wrong = table.page.evaluate(
        """() => [...document.querySelectorAll(".card")].filter(({ classList, style, dataset }) =>
          classList.contains("travelling") || Number(style.zIndex) !== Number(dataset.index) + 1).length"""
    )
    assert wrong == 0


def test_a_card_doesnt_jump_to_the_pointer(table: Table) -> None:
    x, y, width, height = table.box("e")
    table.page.mouse.move(x + width * 0.8, y + height * 0.7)
    table.page.mouse.down()
    table.page.mouse.move(x + width * 0.8 + 40, y + height * 0.7 + 50, steps=5)
    moved = table.page.locator(".card.dragged").bounding_box()
    assert moved is not None
    assert (round(moved["x"] - x), round(moved["y"] - y)) == (40, 50)
    # Below all columns it can still be seen.
    table.page.mouse.move(600, 700)
    assert table.page.evaluate("document.elementFromPoint(600, 700).closest('.card.dragged') !== null")
    table.page.mouse.up()
    assert table.moves == 0


def test_places_that_take_a_dragged_card_light_up_unless_that_is_off(open_table: Opener) -> None:
    for is_on in (True, False):
        table = open_table(PRACTICE, settings={"placementHelp": is_on}).wait()
        table.page.mouse.move(*table.grip("e"))
        table.page.mouse.down()
        table.page.mouse.move(600, 500, steps=4)
        lit = table.page.evaluate('[...document.querySelectorAll(".pile.lit")].map(pile => pile.dataset.pile)')
        assert lit == (["b"] if is_on else [])
        table.page.mouse.up()
        assert table.page.locator(".pile.lit").count() == 0


def test_a_drop_beside_the_places_falls_back_or_is_placed(open_table: Opener) -> None:
    for is_on in (False, True):
        table = open_table(PRACTICE, settings={"automaticPlacement": is_on}).wait()
        table.page.mouse.move(*table.grip("e"))
        table.page.mouse.down()
        table.page.mouse.move(*table.middle("d"), steps=4)
        table.page.mouse.up()
        assert table.moves == (1 if is_on else 0)
        assert (len(table.cards()["b"]) == 3) is is_on


def test_a_card_dropped_on_any_foundation_goes_to_the_one_that_takes_it(table: Table) -> None:
    table.play_by_mouse(["eb"])
    table.drag("e1")
    assert len(table.cards()["3"]) == 1


def taking_back() -> tuple[int, str]:
    """How many actions of the won game are played when a card can be taken back, and the action that does so."""
    deal = Deal.parse(KLONDIKE)
    for count in range(25, len(KLONDIKE_WIN)):
        for action in (f"{home}{column}" for home in "1234" for column in "abcdefg"):
            if verify(deal, " ".join([*KLONDIKE_WIN[:count], action])).valid:
                return count, action
    raise AssertionError("no card can be taken back")


def test_a_card_taken_back_stays_where_it_was_put(table: Table) -> None:
    count, action = taking_back()
    table.play_by_keys(KLONDIKE_WIN[:count])
    home, column = action
    card = table.cards()[home][-1]
    table.drag(action)
    table.page.wait_for_timeout(500)
    assert table.cards()[column][-1] == card
    assert table.moves == count + 1


def test_taking_back_by_keys_or_letting_go(table: Table) -> None:
    count, action = taking_back()
    table.play_by_keys(KLONDIKE_WIN[:count])
    home = action[0]
    size = len(table.cards()[home])
    table.press(home, "Enter")
    said = table.text("#announcer")
    assert "You hold the" in said
    table.press("Escape")
    assert table.text("#announcer") == "Put back."
    assert len(table.cards()[home]) == size
    table.play_by_keys([action])
    assert len(table.cards().get(home, [])) == size - 1


def test_left_handed_puts_the_stock_on_the_left(open_table: Opener) -> None:
    right, left = (open_table(PRACTICE, settings={"leftHanded": is_on}).wait() for is_on in (False, True))
    assert right.box("s")[0] > right.box("1")[0]
    assert left.box("s")[0] < left.box("1")[0]
    assert [left.box(pile)[0] for pile in "abcdefg"] == sorted(left.box(pile)[0] for pile in "abcdefg")


def test_settings_hold_at_once_and_after_a_reload(table: Table) -> None:
    table.page.click("#open-settings")
    table.page.check("[name=fourColours]")
    table.page.check("[name=largeCards]")
    table.page.select_option("[name=cardBack]", "red")
    table.page.select_option("[name=theme]", "dark")
    assert table.page.evaluate("document.documentElement.dataset.colours") == "four"
    assert table.page.locator(".table.compact").count() == 1
    table.page.reload()
    table.wait()
    assert table.page.evaluate("({...document.documentElement.dataset})") == {
        "colours": "four",
        "back": "red",
        "theme": "dark",
        "animation": "normal",
        "letters": "local",
    }


def test_draw_3_fans_three_cards_whose_suits_can_be_seen(open_table: Opener) -> None:
    table = open_table("/practice/KL1-D3V-AAAAABA/", viewport=PHONE).wait()
    assert table.text("#score") == "-$52"
    table.click("s")
    xs = sorted(table.box("w", n)[0] for n in (1, 2, 3))
    width = table.box("w")[2]
    assert xs[1] - xs[0] > width * 0.45
    for _ in range(7):
        table.click("s")
    assert table.page.locator(".stock.no-redeal").count() == 1
    table.click("s")
    assert "isn't turned over" in table.text("#message") or "stock is empty" in table.text("#message").lower()


def test_restart_asks_and_deals_the_same_cards(table: Table) -> None:
    before = table.cards()
    table.play_by_keys(KLONDIKE_WIN[:10])
    table.page.click("#restart")
    table.page.click("#confirm button[value=no]")
    assert table.moves == 10
    table.page.click("#restart")
    table.page.click("#confirm-yes")
    expect(table.page.locator("#moves")).to_have_text("0")
    assert table.cards() == before


def test_help_settings_and_the_choice_of_a_new_game_leave_the_game_alone(table: Table) -> None:
    table.play_by_keys(KLONDIKE_WIN[:10])
    before = table.cards()
    for name in ("help", "settings", "new"):
        table.page.click(f"#open-{name}")
        table.press("d", "u", "Escape")
    assert table.cards() == before


def test_a_code_is_dealt_or_refused_with_what_is_wrong(table: Table) -> None:
    table.page.click("#open-new")
    table.page.fill("#code-input", "KL1-D1N-AAA")
    table.page.click("#code-form button")
    assert "7 characters" in table.text("#code-error")
    table.page.fill("#code-input", " ft1-n-aaaaaav ")
    table.page.click("#code-form button")
    table.page.wait_for_url("**/practice/FT1-N-AAAAAAV/")
    table.wait()
    assert table.text("#code") == "FT1-N-AAAAAAV"
    assert [len(cards) for pile, cards in sorted(table.cards().items())] == [4] * 10 + [64]


def test_codes_work_offline_and_a_new_game_too(table: Table) -> None:
    table.page.context.set_offline(True)
    table.page.click("#open-new")
    table.page.fill("#code-input", "FT1-N-AAAAAAV")
    table.page.click("#code-form button")
    table.page.wait_for_url("**/practice/FT1-N-AAAAAAV/")
    assert len(table.cards()["s"]) == 64
    table.page.click("#open-new")
    table.page.click("a[data-mode=kl-d3n]")
    table.page.wait_for_url("**/practice/KL1-D3N-*/")
    assert len(table.cards()["s"]) == 24
    table.page.context.set_offline(False)


def test_the_board_stops_at_the_limit_of_a_log_with_everything_kept(open_table: Opener) -> None:
    table = open_table(PRACTICE).wait()
    table.press("s")
    table.page.wait_for_timeout(200)
    table.page.evaluate(
        """id => new Promise((resolve) => {
          const open = indexedDB.open("qvserver");
          open.onsuccess = () => {
            const store = open.result.transaction("games", "readwrite").objectStore("games");
            const get = store.get(id);
            get.onsuccess = () => {
              const log = Array(4999).fill("d u").join(" ");
              store.put({ ...get.result, log, times: [] }, id).onsuccess = resolve;
            };
          };
        })""",
        f"practice:{KLONDIKE}",
    )
    table.page.reload()
    table.wait()
    assert table.text("#room") == "This game takes 2 more actions."
    table.press("s", "s", "s", "s")
    assert "10,000 actions" in table.text("#message")
    assert table.text("#room") == "This game takes 0 more actions."
    assert len(table.cards()["w"]) == 2


def test_time_starts_at_the_first_action(table: Table) -> None:
    table.page.wait_for_timeout(1300)
    assert table.text("#time") == "0:00"
    table.press("s")
    expect(table.page.locator("#time")).to_have_text("0:01")


def sideways(table: Table) -> int:
    return int(table.page.evaluate("document.documentElement.scrollWidth - innerWidth"))
