"""The API against its own schema: whatever a client sends, no answer is a fault or undocumented (schemathesis)."""

from __future__ import annotations

import os
from typing import Any

import pytest
import schemathesis
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import checks

from tests.conftest import Api
from tests.dailies import publish_days

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(900)]

SCHEMA = schemathesis.openapi.from_dict(SchemaGenerator().get_schema(request=None, public=True))
#: Of each operation; `QV_SCHEMA_EXAMPLES=300 pytest --timeout 0 tests/qvserver/test_schema.py` sends more.
EXAMPLES = int(os.environ.get("QV_SCHEMA_EXAMPLES", "20"))
#: Not whether whatever the schema allows is accepted: rules are more than a schema says.
LOOKED_FOR = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
OPERATIONS = {operation.label: operation for operation in (result.ok() for result in SCHEMA.get_all_operations())}


@pytest.fixture
def headers(alice: Api) -> dict[str, str]:
    """A guest's token, with dailies to play, and an attempt and a submission of its own."""
    [first, *_] = publish_days(timezone.now().date())
    alice.submit(alice.start(first), "d")
    return {"Authorization": f"Token {alice.token}"}


@pytest.mark.parametrize("label", list(OPERATIONS))
def test_no_answer_is_a_fault_or_undocumented(label: str, headers: dict[str, str], live_server: Any) -> None:
    @given(case=OPERATIONS[label].as_strategy())
    @settings(max_examples=EXAMPLES, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    def call(case: Any) -> None:
        case.call_and_validate(base_url=live_server.url, headers=headers, checks=LOOKED_FOR)

    call()
