"""The addresses of the pages where games are played."""

from django.urls import path

from . import views

urlpatterns = [
    path("play/<str:mode>/", views.play_daily, name="play"),
    path("challenges/<row:challenge_id>/play/", views.play_event, name="play-event"),
    path("practice/", views.new_practice, name="practice"),
    path("practice/<str:code>/", views.practice, name="practice-deal"),
]
