"""The web and the API, for any WSGI server."""

import gc
import os

from django.core.wsgi import get_wsgi_application

from qvserver.requests import observed

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "qvserver.settings")
django = get_wsgi_application()

from .front import Front  # noqa: E402  (Django is ready now)

application = observed(Front(django))

# What is there now stays: the collector needn't look at it again and again.
gc.collect()
gc.freeze()
