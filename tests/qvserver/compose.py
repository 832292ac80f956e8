"""``docker-compose.yml`` as Docker Compose would understand it, and its services as processes without containers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import ROOT

_VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?:(?P<kind>:[-?])(?P<rest>[^${}]*))?\}")


def interpolated(text: str, variables: dict[str, str]) -> str:
    """The text with ``${NAME}``, ``${NAME:-default}`` and ``${NAME:?message}`` filled in, from the inside out.

    Raises `ValueError` for a variable that has to be set and isn't.
    """

    def value(match: re.Match[str]) -> str:
        if found := variables.get(match["name"]):
            return found
        if match["kind"] == ":?":
            raise ValueError(f"{match['name']}: {match['rest']}")
        return match["rest"] or ""

    while _VARIABLE.search(text):
        text = _VARIABLE.sub(value, text)
    return text


def load(variables: dict[str, str]) -> dict[str, Any]:
    """The file with these variables, which are filled in where it has texts."""

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(part) for key, part in value.items()}
        if isinstance(value, list):
            return [filled(part) for part in value]
        return interpolated(value, variables) if isinstance(value, str) else value

    loaded: dict[str, Any] = filled(yaml.safe_load((ROOT / "docker-compose.yml").read_text()))
    return loaded


class Service:
    """A service's exact command and health check, with other ports than in its container."""

    def __init__(self, definition: dict[str, Any], ports: dict[str, int], **environment: str) -> None:
        self.ports = ports
        self.command = [self._own(word) for word in definition["command"]]
        self.check = [self._own(word) for word in definition.get("healthcheck", {}).get("test", [])]
        given = {name: self._own(str(value)) for name, value in definition.get("environment", {}).items()}
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.environment = {**os.environ, **given, "PATH": path, **environment}
        self.process: subprocess.Popen[bytes] | None = None

    def _own(self, word: str) -> str:
        for port, own in self.ports.items():
            word = re.sub(rf"\b{port}\b", str(own), word)
        return word

    def start(self, **options: Any) -> None:
        """Start the process."""
        self.process = subprocess.Popen(self.command, cwd=ROOT, env=self.environment, **options)

    def run(self) -> int:
        """Run it to its end."""
        return subprocess.run(self.command, cwd=ROOT, env=self.environment, timeout=120, check=False).returncode

    def is_healthy(self) -> bool:
        """What the health check says. Fails where the process has ended."""
        assert self.process is not None and self.process.poll() is None, self.command
        assert self.check[0] in ("CMD", "CMD-SHELL")
        words = self.check[1:] if self.check[0] == "CMD" else ["sh", "-c", self.check[1]]
        done = subprocess.run(words, env=self.environment, capture_output=True, timeout=30, check=False)
        return done.returncode == 0

    def stop(self) -> int:
        """Stop it as Docker does; returns the exit status."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(60)
