"""The addresses of the pages where games are played."""

from django.urls import path

from . import reading_views, replay_views, views

urlpatterns = [
    path("play/<str:mode>/", views.play_daily, name="play"),
    path("challenges/<row:challenge_id>/play/", views.play_event, name="play-event"),
    path("practice/", views.new_practice, name="practice"),
    path("practice/offline/<str:mode>/", views.practice_offline, name="practice-offline"),
    path("practice/<str:code>/", views.practice, name="practice-deal"),
    path("games/<int:submission_id>/replay/", replay_views.replay, name="replay"),
    path("challenges/<int:challenge_id>/replay/", replay_views.winning_line, name="winning-line"),
    path("compare/<int:first_id>/<int:second_id>/", replay_views.compare, name="compare"),
    path("rules/", reading_views.rules, name="rules"),
    path("rules/forty-thieves/", reading_views.rules_of_forty_thieves, name="rules-forty-thieves"),
    path("rules/klondike/", reading_views.rules_of_klondike, name="rules-klondike"),
    path("faq/", reading_views.questions, name="faq"),
    path("examples/<str:game>/", reading_views.example, name="example"),
    path("developers/", reading_views.developers, name="developers"),
]
