"""The addresses of the pages with ranks."""

from django.urls import include, path

urlpatterns = [
    path("", include("leaderboards.pages.today_urls")),
    path("", include("leaderboards.pages.board_urls")),
]
