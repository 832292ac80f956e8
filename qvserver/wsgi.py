"""The web and the API, for any WSGI server."""

import os

from django.core.wsgi import get_wsgi_application

from qvserver.requests import observed

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "qvserver.settings")
application = observed(get_wsgi_application())
