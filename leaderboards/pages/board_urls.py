"""The addresses of boards, players and clubs."""

from django.urls import path

from . import board_views, club_views, player_views

urlpatterns = [
    path("boards/", board_views.boards, name="boards"),
    path("boards/<str:mode>/", board_views.daily_board, name="board"),
    path("boards/<str:mode>/<str:period>/", board_views.period_board, name="period-board"),
    path("challenges/<row:challenge_id>/board/", board_views.challenge_board, name="challenge-board"),
    path("players/<str:name>/", player_views.player, name="player"),
    path("players/<str:name>/report/", player_views.report, name="report-player"),
    path("clubs/", club_views.clubs, name="clubs"),
    path("clubs/join/", club_views.find_invitation, name="find-invitation"),
    path("clubs/join/<str:code>/", club_views.join, name="join-club"),
    path("clubs/<row:club_id>/", club_views.club, name="club"),
    path("clubs/<row:club_id>/name/", club_views.rename, name="rename-club"),
    path("clubs/<row:club_id>/leave/", club_views.leave, name="leave-club"),
    path("clubs/<row:club_id>/owner/", club_views.hand_over, name="hand-over-club"),
    path("clubs/<row:club_id>/code/", club_views.new_code, name="new-club-code"),
    path("clubs/<row:club_id>/dissolve/", club_views.dissolve, name="dissolve-club"),
    path("clubs/<row:club_id>/remove/", club_views.remove, name="remove-from-club"),
]
