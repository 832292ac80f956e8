"""`manage.py up`: starts everything, says what is wrong, stops cleanly, keeps the data."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from qvserver.management.commands.up import StopRequest, _Stop
from qvserver.throwaway import free_port
from tests.conftest import ROOT, wait_for
from tests.dailies import PROOFS

pytestmark = pytest.mark.timeout(300)


class Up:
    """A running `manage.py up`."""

    def __init__(self, data: Path, port: int, *options: str, **environment: str) -> None:
        own = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "QV_DATA")}
        self.address = f"http://127.0.0.1:{port}"
        self.log = data.parent / f"{data.name}.log"
        self.data = data
        options = options or ("--without-solver",)
        command = [sys.executable, "manage.py", "up", "--data", str(data), "--port", str(port), *options]
        with self.log.open("wb") as log:
            # A group of its own, as a terminal gives one to each command.
            self.process = subprocess.Popen(
                command, cwd=ROOT, env={**own, **environment}, stdout=log, stderr=log, start_new_session=True
            )

    def wait_until_ready(self) -> None:
        wait_for(lambda: "Ctrl-C stops" in self.output or self.process.poll() is not None, seconds=120, what="up")
        assert self.process.poll() is None, self.output

    @property
    def output(self) -> str:
        return self.log.read_text()

    def call(self, method: str, address: str, body: Any = None, token: str | None = None) -> Any:
        headers = {"Content-Type": "application/json", **({"Authorization": f"Token {token}"} if token else {})}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.address}/api/v1/{address}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def manage(self, *arguments: str) -> str:
        """The output of a command run beside it."""
        own = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL", "SECRET_KEY")}
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.check_output(command, cwd=ROOT, env={**own, "QV_DATA": str(self.data)}, text=True)

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(300)


@pytest.fixture
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("up") / "data"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One for all who leave it running."""
    up = Up(tmp_path_factory.mktemp("up") / "data", free_port())
    try:
        up.wait_until_ready()
        yield up
    finally:
        if up.process.poll() is None:
            up.stop()


def run_the_readmes_client(address: str) -> str:
    """What the client in the README prints."""
    [client] = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    return subprocess.check_output([sys.executable, "-I", "-c", client, address], text=True, timeout=120)


def test_up_plays_stops_cleanly_and_keeps_the_data(data: Path) -> None:
    started = Up(data, free_port())
    started.wait_until_ready()
    started.manage("publish_daily", "--proofs", str(PROOFS))
    token = started.call("POST", "players/guest/")["token"]
    items = started.call("GET", "challenges/today/")["items"]
    assert {item["mode"] for item in items} == {"ft-n", "kl-d1n", "kl-d3n"}
    attempt = started.call("POST", f"challenges/{items[0]['id']}/attempts/", token=token)
    submission = started.call("PUT", f"attempts/{attempt['id']}/submission/", {"log": "d d"}, token)["id"]

    live_url = started.call("GET", "")["live_url"]
    assert live_url != started.address
    waiting = urllib.request.Request(
        f"{live_url}/live/submissions/{submission}/?wait=30", headers={"Authorization": f"Token {token}"}
    )
    with urllib.request.urlopen(waiting, timeout=40) as answer:
        assert json.load(answer)["best"]["rank"] == 1
    with urllib.request.urlopen(f"{started.address}/metrics", timeout=10) as answer:
        assert b'qv_verdicts_total{state="verified"} 1.0' in answer.read(), "what the worker counts, at the web"
    assert re.fullmatch(r"verified [1-9]\d* points, rank 1 of 2\n", run_the_readmes_client(started.address))
    assert oct((data / "secret_key").stat().st_mode)[-3:] == oct((data / "up.env").stat().st_mode)[-3:] == "600"
    children = started.children()
    assert started.stop(signal.SIGINT) == 0
    _, alive = psutil.wait_procs(children, timeout=10)
    assert alive == []
    assert "stopped" in started.output.splitlines()[-1]
    assert not (data / "postgres" / "postmaster.pid").exists()

    again = Up(data, free_port())
    try:
        again.wait_until_ready()
        assert again.call("GET", f"submissions/{submission}/", token=token)["verdict"]["moves"] == 2
        board = again.call("GET", f"leaderboards/challenges/{items[0]['id']}/")
        assert board["total"] == 2
    finally:
        assert again.stop() == 0


@pytest.mark.long
def test_up_proves_todays_dailies_and_goes_on_with_the_days_to_come(data: Path) -> None:
    up = Up(data, free_port(), "--workers", "1")
    try:
        up.wait_until_ready()
        wait_for(lambda: up.call("GET", "challenges/today/")["missing"] == [], seconds=240, what="today's dailies")
        items = up.call("GET", "challenges/today/")["items"]
        assert {item["mode"] for item in items} == {"ft-n", "kl-d1n", "kl-d3n"}
        assert all(item["par"] and item["difficulty"] for item in items)
        wait_for(lambda: up.output.count(" won in ") >= 6, seconds=240, what="tomorrow's")
    finally:
        assert up.stop() == 0


def test_the_admin_link_works_once(started: Up) -> None:
    link = next(word for word in started.output.split() if "/admin/enter/" in word)
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with opener.open(link, timeout=20) as page:
        assert page.status == 200 and page.url.endswith("/admin/")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(link, timeout=10)
    assert refused.value.code == 403 and b"admin_link" in refused.value.read()


def test_a_second_start_on_the_same_data_is_refused_with_the_reason(started: Up) -> None:
    second = Up(started.data.parent / "." / "data", free_port())
    assert second.process.wait(30) == 1
    assert "already runs" in second.output and str(started.process.pid) in second.output


def test_a_killed_process_is_started_again(started: Up) -> None:
    worker = next(child for child in started.children() if "verdicts1@up" in " ".join(child.cmdline()))
    worker.kill()
    wait_for(lambda: "worker1 | ended with -9" in started.output, what="the notice")
    wait_for(
        lambda: any(c.pid != worker.pid and "verdicts1@up" in " ".join(c.cmdline()) for c in started.children()),
        what="the restart",
    )


def test_a_killed_postgresql_and_redis_are_started_again(started: Up) -> None:
    started.manage("publish_daily", "--proofs", str(PROOFS))
    token = started.call("POST", "players/guest/")["token"]
    postmaster = psutil.Process(int((started.data / "postgres" / "postmaster.pid").read_text().split()[0]))
    redis = next(child for child in started.children() if "redis" in child.name())
    for killed in (postmaster, redis):
        killed.kill()
    wait_for(lambda: not redis.is_running() and not postmaster.is_running(), what="their end")

    def submitted() -> Any:
        try:
            attempt = started.call("POST", "challenges/1/attempts/", token=token)
            return started.call("PUT", f"attempts/{attempt['id']}/submission/", {"log": "d"}, token)
        except OSError:
            return None

    submission = wait_for(submitted, what="an answer after the restarts")["id"]
    wait_for(lambda: started.call("GET", f"submissions/{submission}/", token=token)["best"], what="the rank")
    assert all(
        f"{name} has ended, starting again" in started.output.replace("|", "") for name in ("postgres", "redis   ")
    )


def test_no_child_of_a_killed_process_is_left(started: Up) -> None:
    """A web server's child would go on answering with what it held, beside the one that was started instead."""
    web = next(child for child in started.children() if "qvserver.wsgi" in " ".join(child.cmdline()))
    children = web.children()
    assert children
    web.kill()
    _, alive = psutil.wait_procs(children, timeout=30)
    assert alive == []


@pytest.mark.long
def test_a_killed_up_leaves_a_lock_that_the_next_one_overcomes(data: Path) -> None:
    first = Up(data, free_port())
    first.wait_until_ready()
    children = first.children()
    first.process.kill()
    first.process.wait()
    assert any(child.is_running() for child in children)
    second = Up(data, free_port())
    try:
        second.wait_until_ready()
        assert "an earlier start had left behind" in second.output
        servers = [
            p for p in psutil.process_iter(["cmdline"]) if str(data / "redis") in " ".join(p.info["cmdline"] or ())
        ]
        assert len(servers) == 1, "the Redis of the killed one is gone"
    finally:
        assert second.stop() == 0


def test_a_signal_to_stop_leaves_no_lock_behind() -> None:
    """It came while a process was asked whether it had ended: the lock of that was held for ever, and stopping hung."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        request = StopRequest()
        request.check()
        for number in handlers:
            signal.raise_signal(number)
        with pytest.raises(_Stop):
            request.check()
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


@pytest.mark.parametrize(
    ("line", "pause"), [("postgres| starting", 0.0), ("postgres| starting", 0.3), ("redis   | starting", 1.0)]
)
def test_ctrl_c_stops_a_start_before_it_is_ready(data: Path, line: str, pause: float) -> None:
    """Ctrl-C reaches all processes of the terminal's group, as often as it is pressed."""
    up = Up(data, free_port())
    try:
        wait_for(lambda: line in up.output, seconds=120, what=line)
        time.sleep(pause)
        os.killpg(up.process.pid, signal.SIGINT)
        wait_for(lambda: "stopping" in up.output, seconds=120, what="stopping")
        with contextlib.suppress(ProcessLookupError):
            os.killpg(up.process.pid, signal.SIGINT)
        assert up.process.wait(timeout=120) == 0, up.output
    finally:
        up.process.kill()
    assert "ready at" not in up.output and "Traceback" not in up.output
    assert up.output.splitlines()[-1].endswith("stopped"), up.output
    assert not [p for p in psutil.process_iter(["cmdline"]) if str(data) in " ".join(p.info["cmdline"] or ())]


def test_a_busy_port_is_named(data: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        up = Up(data, busy.getsockname()[1])
        assert up.process.wait(30) == 1
    assert "can't be listened on" in up.output and "--port" in up.output


def test_an_unusable_data_folder_is_named(data: Path) -> None:
    data.parent.joinpath("file").write_text("")
    command = [sys.executable, "manage.py", "up", "--data", str(data.parent / "file" / "data")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "can't be used" in done.stderr and "--data" in done.stderr


@pytest.mark.long
def test_given_services_are_used_instead_of_embedded_ones(data: Path, django_db_setup: None) -> None:
    up = Up(data, free_port(), DATABASE_URL=os.environ["DATABASE_URL"], REDIS_URL=os.environ["REDIS_URL"])
    try:
        up.wait_until_ready()
        assert up.call("GET", "challenges/today/")["missing"] == ["ft-n", "kl-d1n", "kl-d3n"]
        assert not (data / "postgres").exists() and not (data / "redis").exists()
    finally:
        assert up.stop() == 0
