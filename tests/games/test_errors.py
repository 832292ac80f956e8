"""Whatever goes wrong has one shape, whoever raises it."""

from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404
from rest_framework.exceptions import APIException, NotAcceptable, ValidationError

from games.api.errors import as_api_error, exception_handler


@pytest.mark.parametrize(
    ("exception", "status", "code"),
    [
        (RequestDataTooBig(), 413, "too_large"),
        (SuspiciousOperation(), 400, "bad_request"),
        (Http404(), 404, "not_found"),
        (PermissionDenied(), 403, "forbidden"),
        (NotAcceptable(), 406, "not_acceptable"),
        (ValidationError(["no"]), 400, "invalid"),
        (ValidationError({"name": ["no"]}), 400, "invalid"),
        (OperationalError(), 503, "database_away"),
        (InterfaceError(), 503, "database_away"),
    ],
)
def test_an_exception_becomes_an_answer_that_names_it(exception: Exception, status: int, code: str) -> None:
    error = as_api_error(exception)
    assert error is not None and (error.status, error.code) == (status, code)
    assert error.message.endswith((".", "?")) and error.message[0].isupper()


def test_views_of_rest_framework_answer_in_the_same_shape() -> None:
    response = exception_handler(APIException("Something is off."), {})
    assert response is not None and response.status_code == 500
    assert response.data == {"error": {"code": "error", "message": "Something is off.", "details": {}}}


def test_a_fault_of_ours_is_nobodys_answer() -> None:
    assert as_api_error(ZeroDivisionError()) is None and exception_handler(ZeroDivisionError(), {}) is None
