"""All addresses."""

from django.contrib import admin
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.permissions import AllowAny

from games.api.errors import handler

from . import account_views, admin_entry

_open = {"permission_classes": [AllowAny], "authentication_classes": []}

urlpatterns = [
    path("admin/enter/<str:player>/<str:token>/", admin_entry.enter, name="admin-enter"),
    path("admin/", admin.site.urls),
    path("_allauth/", include("allauth.headless.urls")),
    # Social logins come back there; without providers there is nothing.
    path("accounts/", include("allauth.urls")),
    path("account/verify-email/<str:key>/", account_views.verify_email, name="verify-email"),
    path("api/v1/schema/", SpectacularAPIView.as_view(**_open), name="schema"),
    path("api/v1/docs/", SpectacularSwaggerSplitView.as_view(url_name="schema", **_open), name="docs"),
    path("api/v1/players/me/session/", account_views.GuestSession.as_view()),
    path("api/v1/", include("games.api.urls")),
    path("api/v1/", include("leaderboards.api.urls")),
    path("", include("games.pages.urls")),
]

handler400 = handler(400, "bad_request", "The request can't be understood.")
handler403 = handler(403, "forbidden", "This call is not for you.")
handler404 = handler(404, "not_found", "There is nothing at this address.")
handler500 = handler(500, "server_error", "Something broke here: it has been noted. Try again later.")
