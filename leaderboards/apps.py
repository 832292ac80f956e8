from django.apps import AppConfig


class LeaderboardsConfig(AppConfig):
    """What is compared: standings and boards."""

    name = "leaderboards"

    def ready(self) -> None:
        from . import receivers  # noqa: F401  (connects itself to the signal)
