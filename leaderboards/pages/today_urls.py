"""The addresses of the day, of results, of the calendar and of challenges."""

from django.urls import path

from . import challenge, month, pictures, result, today

urlpatterns = [
    path("", today.today, name="today"),
    path("today.png", pictures.today_picture, name="today-picture"),
    path("games/<row:submission_id>/", result.result, name="result"),
    path("games/<row:submission_id>/card.png", pictures.result_picture, name="result-picture"),
    path("calendar/", month.first_mode, name="calendar-start"),
    path("calendar/<str:mode>/", month.month, name="calendar"),
    path("challenges/<row:challenge_id>/", challenge.challenge, name="challenge"),
    path("challenges/<row:challenge_id>/card.png", pictures.challenge_picture, name="challenge-picture"),
]
