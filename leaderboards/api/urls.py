"""The addresses of the API of what is compared."""

from django.urls import path

from . import board_views, player_views, views

urlpatterns = [
    path("players/<str:name>/statistics/", player_views.PlayerStatistics.as_view()),
    path("submissions/<row:submission_id>/", views.SubmissionDetail.as_view()),
    path("leaderboards/challenges/<row:challenge_id>/", board_views.BoardPage.as_view()),
    path("leaderboards/challenges/<row:challenge_id>/around/", board_views.Around.as_view()),
    path("leaderboards/challenges/<row:challenge_id>/distribution/", board_views.Distribution.as_view()),
    path("leaderboards/<str:mode>/<str:period>/", board_views.PeriodPage.as_view()),
    path("leaderboards/<str:mode>/<str:period>/around/", board_views.PeriodAround.as_view()),
]
