"""The addresses of the API of what is compared."""

from django.urls import path

from . import board_views, club_views, player_views, views

urlpatterns = [
    path("players/<str:name>/statistics/", player_views.PlayerStatistics.as_view()),
    path("submissions/<row:submission_id>/", views.SubmissionDetail.as_view()),
    path("leaderboards/challenges/<row:challenge_id>/", board_views.BoardPage.as_view()),
    path("leaderboards/challenges/<row:challenge_id>/around/", board_views.Around.as_view()),
    path("leaderboards/challenges/<row:challenge_id>/distribution/", board_views.Distribution.as_view()),
    path("leaderboards/<str:mode>/<str:period>/", board_views.PeriodPage.as_view()),
    path("leaderboards/<str:mode>/<str:period>/around/", board_views.PeriodAround.as_view()),
    path("clubs/", club_views.Clubs.as_view()),
    path("clubs/join/<str:code>/", club_views.Invitation.as_view()),
    path("clubs/<row:club_id>/", club_views.ClubDetail.as_view()),
    path("clubs/<row:club_id>/leave/", club_views.Leave.as_view()),
    path("clubs/<row:club_id>/owner/", club_views.Owner.as_view()),
    path("clubs/<row:club_id>/code/", club_views.InviteCode.as_view()),
    path("clubs/<row:club_id>/members/<str:name>/", club_views.Member.as_view()),
]
