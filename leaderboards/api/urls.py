"""The addresses of the API of what is compared."""

from django.urls import path

from . import views

urlpatterns = [
    path("submissions/<row:submission_id>/", views.SubmissionDetail.as_view()),
    path("leaderboards/challenges/<row:challenge_id>/", views.BoardPage.as_view()),
    path("leaderboards/challenges/<row:challenge_id>/around/", views.Around.as_view()),
    path("leaderboards/challenges/<row:challenge_id>/distribution/", views.Distribution.as_view()),
]
