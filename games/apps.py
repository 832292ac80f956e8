from django.apps import AppConfig


class GamesConfig(AppConfig):
    """What is played: players, challenges, attempts, submissions, verdicts."""

    name = "games"
