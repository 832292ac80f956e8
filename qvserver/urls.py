"""All addresses."""

from django.contrib import admin
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.permissions import AllowAny

from . import account_views, admin_entry, pwa
from .languages import choose_language

_open = {"permission_classes": [AllowAny], "authentication_classes": []}

urlpatterns = [
    path("admin/enter/<str:player>/<str:token>/", admin_entry.enter, name="admin-enter"),
    path("admin/", admin.site.urls),
    path("_allauth/", include("allauth.headless.urls")),
    path("accounts/", include("allauth.urls")),
    path("", include("qvserver.pages.urls")),
    path("language/", choose_language, name="choose-language"),
    path("manifest.webmanifest", pwa.manifest, name="manifest"),
    path("service-worker.js", pwa.service_worker, name="service-worker"),
    path("offline/", pwa.offline, name="offline"),
    path("api/v1/schema/", SpectacularAPIView.as_view(**_open), name="schema"),
    path("api/v1/docs/", SpectacularSwaggerSplitView.as_view(url_name="schema", **_open), name="docs"),
    path("api/v1/players/me/session/", account_views.GuestSession.as_view()),
    path("api/v1/", include("games.api.urls")),
    path("api/v1/", include("leaderboards.api.urls")),
    path("", include("games.pages.urls")),
    path("", include("leaderboards.pages.urls")),
]

handler400 = "qvserver.error_pages.bad_request"
handler403 = "qvserver.error_pages.forbidden"
handler404 = "qvserver.error_pages.not_found"
handler429 = "qvserver.error_pages.too_many_requests"
handler500 = "qvserver.error_pages.server_error"
