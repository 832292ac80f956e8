"""The addresses of the pages that belong to no game and no board."""

from django.urls import path
from django.views.generic import TemplateView

from . import account

urlpatterns = [
    path("account/", account.overview, name="account"),
    path("account/name/", account.rename, name="rename"),
    path("account/take-over/", account.take_over, name="take-over"),
    path("account/tokens/", account.tokens, name="tokens"),
    path("account/tokens/<str:token_id>/", account.revoke, name="revoke-token"),
    path("account/everywhere/", account.leave_everywhere, name="leave-everywhere"),
    path("account/delete/", account.delete, name="delete-account"),
    path("account/settings/", account.settings_page, name="settings"),
    path("robots.txt", TemplateView.as_view(template_name="pages/robots.txt", content_type="text/plain")),
    path("about/", TemplateView.as_view(template_name="pages/about.html"), name="about"),
    path("privacy/", account.privacy, name="privacy"),
]
