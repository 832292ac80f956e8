"""The addresses of the API of what is played."""

from django.urls import path, register_converter

from . import live_views, player_views, report_views, token_views, views


class RowId:
    """A row's number, of as many digits as the database takes."""

    MAX_DIGITS = 18
    regex = f"[0-9]{{1,{MAX_DIGITS}}}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


register_converter(RowId, "row")

urlpatterns = [
    path("", views.Root.as_view()),
    path("players/guest/", player_views.Guest.as_view()),
    path("players/me/", player_views.MeView.as_view()),
    path("players/me/export/", player_views.Export.as_view()),
    path("players/me/merge/", player_views.Merge.as_view()),
    path("players/me/submissions/", player_views.History.as_view()),
    path("players/me/tokens/", token_views.Tokens.as_view()),
    path("players/me/tokens/<str:token_id>/", token_views.Token.as_view()),
    path("players/<str:name>/report/", report_views.Report.as_view()),
    path("players/<str:name>/", player_views.PlayerDetail.as_view()),
    path("challenges/", views.ChallengeList.as_view()),
    path("challenges/today/", views.Today.as_view()),
    path("challenges/<row:challenge_id>/", views.ChallengeDetail.as_view()),
    path("challenges/<row:challenge_id>/attempts/", views.Attempts.as_view()),
    path("attempts/<row:attempt_id>/", views.AttemptDetail.as_view()),
    path("attempts/<row:attempt_id>/draft/", views.Draft.as_view()),
    path("attempts/<row:attempt_id>/submission/", views.SubmissionIntake.as_view()),
    path("submissions/<row:submission_id>/dispute/", report_views.Dispute.as_view()),
    path("submissions/<row:submission_id>/replay/", views.Replay.as_view()),
    path("live/ticket/", live_views.LiveTicket.as_view()),
    path("deals/random/", views.RandomDeal.as_view()),
    path("deals/<str:code>/", views.DealDetail.as_view()),
    path("deals/<str:code>/verify/", views.PracticeVerify.as_view()),
]
