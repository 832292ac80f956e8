"""The addresses of the pages where games are played."""

from django.urls import path

from . import replay_views, views

urlpatterns = [
    path("play/<str:mode>/", views.play_daily, name="play"),
    path("practice/", views.new_practice, name="practice"),
    path("practice/<str:code>/", views.practice, name="practice-deal"),
    path("games/<int:submission_id>/replay/", replay_views.replay, name="replay"),
    path("challenges/<int:challenge_id>/replay/", replay_views.winning_line, name="winning-line"),
    path("compare/<int:first_id>/<int:second_id>/", replay_views.compare, name="compare"),
]
