"""Every text goes through gettext, and every message is there in every language."""

from __future__ import annotations

import ast
import gettext
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from django.conf import settings
from django.template.base import Lexer, TokenType

ROOT = Path(settings.BASE_DIR)
APPS = ("games", "leaderboards", "qvserver")
LANGUAGES = [code for code, _name in settings.LANGUAGES if code != "en"]
CATALOGS = [(app, language) for app in APPS for language in LANGUAGES]

#: Names, and words of protocols, which are the same in every language.
SAME_EVERYWHERE = {"qvserver", "API", "JSON", "REST", "CC0", "MIT", "GET", "POST", "PUT", "UTC", "ms", "px"}


def catalog_of(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file)


def forms(text: Any) -> tuple[str, ...]:
    """The texts of a message: one, or one for each plural."""
    return (text,) if isinstance(text, str) else tuple(text)


def messages(catalog: Catalog) -> Iterator[Message]:
    return (message for message in catalog if message.id)


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The catalogs as ``makemessages`` makes them now, from a copy of the sources."""
    if shutil.which("xgettext") is None:
        pytest.skip("no gettext here")
    copy = tmp_path_factory.mktemp("sources")
    for app in APPS:
        kinds = shutil.ignore_patterns("static", "migrations", "*.pyc", "*.mo", "admin")
        shutil.copytree(ROOT / app, copy / app, ignore=kinds)
    wanted = [word for language in LANGUAGES for word in ("-l", language)]
    command = [sys.executable, "-m", "django", "makemessages", *wanted, "--no-obsolete", "--no-location", "-v0"]
    subprocess.run(command, cwd=copy, check=True, env={"PATH": "/usr/bin:/bin"})
    return copy


@pytest.mark.parametrize(("app", "language"), CATALOGS)
def test_every_message_is_translated(extracted: Path, app: str, language: str) -> None:
    catalog = catalog_of(extracted / app / "locale" / language / "LC_MESSAGES" / "django.po")
    missing = [m.id for m in messages(catalog) if m.fuzzy or not all(forms(m.string))]
    assert missing == []
    kept = catalog_of(ROOT / app / "locale" / language / "LC_MESSAGES" / "django.po")
    assert {str(m.id) for m in messages(kept)} - {str(m.id) for m in messages(catalog)} == set()
    assert not kept.obsolete


@pytest.mark.parametrize(("app", "language"), CATALOGS)
def test_translations_fill_in_the_same_values(app: str, language: str) -> None:
    catalog = catalog_of(ROOT / app / "locale" / language / "LC_MESSAGES" / "django.po")
    fields = re.compile(r"\{\w+\}|%\(\w+\)[sd]|%[sd]")
    for message in messages(catalog):
        wanted = set(fields.findall(forms(message.id)[-1]))
        for text in forms(message.string):
            # The form for one may leave the number out.
            found = set(fields.findall(text))
            assert found <= wanted, (message.id, text)
            assert found == wanted or len(forms(message.string)) > 1, (message.id, text)


@pytest.mark.parametrize(("app", "language"), CATALOGS)
def test_what_is_compiled_is_what_is_translated(app: str, language: str) -> None:
    folder = ROOT / app / "locale" / language / "LC_MESSAGES"
    with (folder / "django.mo").open("rb") as file:
        compiled: dict[Any, str] = dict(gettext.GNUTranslations(file)._catalog)  # type: ignore[attr-defined]
    compiled.pop("")
    wanted: dict[Any, str] = {}
    for message in messages(catalog_of(folder / "django.po")):
        context = f"{message.context}\x04" if message.context else ""
        if isinstance(message.id, str):
            wanted[context + message.id] = str(message.string)
        else:
            wanted |= {(context + message.id[0], form): text for form, text in enumerate(forms(message.string))}
    assert compiled == wanted


#: How many texts a function of gettext takes; ``xgettext`` finds only those that stand there as they are.
TEXTS = {"_": 1, "gettext": 1, "gettext_lazy": 1, "ngettext": 2, "ngettext_lazy": 2, "pgettext": 2, "pgettext_lazy": 2}


def unseen(source: str) -> list[str]:
    """The calls of gettext whose texts no catalog can have, being made up when they are called."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    found = [(call, TEXTS.get(getattr(call.func, "id", ""), 0)) for call in calls]
    return [
        ast.unparse(call)
        for call, texts in found
        if not all(isinstance(arg, ast.Constant) for arg in call.args[:texts])
    ]


@pytest.mark.parametrize("app", APPS)
def test_all_messages_can_be_extracted(app: str) -> None:
    assert [call for path in sorted((ROOT / app).rglob("*.py")) for call in unseen(path.read_text())] == []


def test_the_check_of_messages_sees_variables() -> None:
    assert unseen('_("as it is"); ngettext(one, other, 2); _(f"{name} is new")') == [
        "ngettext(one, other, 2)",
        "_(f'{name} is new')",
    ]


def templates() -> list[Path]:
    """All templates but the admin's, which speaks to those who run the server."""
    return [
        path
        for app in APPS
        for path in sorted((ROOT / app / "templates").rglob("*"))
        if path.suffix in (".html", ".svg") and "admin" not in path.relative_to(ROOT / app).parts
    ]


class Texts(HTMLParser):
    """Collects what people read: text, and the attributes that are read out or shown."""

    READ = ("alt", "title", "aria-label", "placeholder", "content")
    CODE = ("code", "kbd", "pre", "script", "style", "symbol")

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in self.CODE:
            self.open.append(tag)
        given = dict(attributes)
        # Of meta elements only the description is for people.
        read = [name for name in self.READ if name != "content" or given.get("name") == "description"]
        self.found += [given[name] or "" for name in read if name in given]

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if not self.open:
            self.found.append(data)


def own_text(source: str) -> str:
    """A template without its tags, variables and translated blocks."""
    kept: list[str] = []
    translated = commented = False
    for token in Lexer(source).tokenize():
        word = token.contents.split()[0] if token.token_type is TokenType.BLOCK and token.contents else ""
        translated = word in ("blocktranslate", "blocktrans") or (translated and not word.startswith("endblocktrans"))
        commented = word == "comment" or (commented and word != "endcomment")
        if token.token_type is TokenType.TEXT and not translated and not commented:
            kept.append(token.contents)
    return "".join(kept)


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{2,}", text)) - SAME_EVERYWHERE


@pytest.mark.parametrize("path", templates(), ids=lambda path: str(path.relative_to(ROOT)))
def test_templates_say_nothing_outside_gettext(path: Path) -> None:
    texts = Texts()
    texts.feed(own_text(path.read_text()))
    assert {word for text in texts.found for word in words_of(text)} == set()


def test_the_check_of_templates_sees_plain_text() -> None:
    texts = Texts()
    texts.feed(own_text('<p title="Hello there">{% translate "Good" %} plain {{ name }}</p><code>free</code>'))
    assert {word for text in texts.found for word in words_of(text)} == {"Hello", "there", "plain"}


SENTENCE = re.compile(r"""(["'`])((?:(?!\1)[^\\\n]|\\.)*)\1""")
#: What looks like words to people: a capital and more words, or words that end as a sentence does.
SPOKEN = re.compile(r"^[A-Z][a-z]+(?: [a-z]+)+|[a-z]+ [a-z]+.*[.!?]$")
#: Whoever reads these reads the code.
FOR_DEVELOPERS = re.compile(r"throw new |console\.|Error\(|^\s*(?://|/?\*)")


def spoken(script: str) -> list[str]:
    lines = [line for line in script.splitlines() if not FOR_DEVELOPERS.search(line)]
    return [found[2] for line in lines for found in SENTENCE.finditer(line) if SPOKEN.search(found[2])]


def scripts() -> list[Path]:
    return [path for app in APPS for path in sorted((ROOT / app / "static").rglob("*.js")) if "admin" not in path.parts]


@pytest.mark.parametrize("path", scripts(), ids=lambda path: str(path.relative_to(ROOT)))
def test_scripts_say_nothing_of_their_own(path: Path) -> None:
    assert spoken(path.read_text()) == []


def test_the_check_of_scripts_sees_plain_text() -> None:
    assert spoken('say.textContent = "Nothing to show";\nthrow new TypeError("the page has no board");') == [
        "Nothing to show"
    ]
