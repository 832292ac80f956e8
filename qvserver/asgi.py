"""The live service, for any ASGI server: event streams and waiting for verdicts. Everything else is `qvserver.wsgi`."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "qvserver.settings")
django.setup()

from qvserver.live.app import Live  # noqa: E402  (reads the settings)

application = Live()
