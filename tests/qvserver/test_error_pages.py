"""What is wrong, for people in a page and for clients in the one shape."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client, RequestFactory

from qvserver import error_pages

VIEWS = {
    400: error_pages.bad_request,
    403: error_pages.forbidden,
    404: error_pages.not_found,
    429: error_pages.too_many_requests,
    500: error_pages.server_error,
}


@pytest.mark.parametrize("status", VIEWS)
def test_people_get_a_page_and_clients_the_error_shape(rf: RequestFactory, status: int) -> None:
    view = VIEWS[status]
    page, call = rf.get("/somewhere/"), rf.get("/api/v1/somewhere/")
    page.user = AnonymousUser()  # type: ignore[attr-defined]
    for answer in (view(page), view(call)):
        assert answer.status_code == status
    assert b"<h1>" in view(page).content
    assert view(call).content.startswith(b'{"error":{"code":')


def test_a_form_without_its_token_says_what_to_do() -> None:
    answer = Client(enforce_csrf_checks=True).post("/language/", {"language": "fi"})
    assert answer.status_code == 403
    assert "load the page again" in answer.content.decode()
