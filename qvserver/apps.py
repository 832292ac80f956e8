from django.apps import AppConfig


class QvserverConfig(AppConfig):
    """The server around it: accounts, admin's entry, processes."""

    name = "qvserver"

    def ready(self) -> None:
        from . import credentials  # noqa: F401  (connects itself to signals)
