"""All settings, read from the environment (README, Settings).

Where `manage.py up` runs or has run, its data folder holds a file ``up.env`` with the addresses of its services: other
commands started beside it find them there. Variables of the environment come first.
"""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

from corsheaders.defaults import default_headers
from environ import Env

BASE_DIR = Path(__file__).resolve().parent.parent

env = Env()


def default_data_dir() -> Path:
    """Where `up` keeps its data. As root not below the home folder: PostgreSQL runs as a user of its own there."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/qvserver")
    return BASE_DIR / ".qvserver"


#: What the caller set, before the file adds to it.
_GIVABLE = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "NUMBA_CACHE_DIR")
QV_GIVEN = {name: os.environ[name] for name in _GIVABLE if name in os.environ}
QV_DATA = Path(env.str("QV_DATA", default=str(default_data_dir())))
# The solver's compiled code is kept there too, not in the source tree.
os.environ.setdefault("NUMBA_CACHE_DIR", str(QV_DATA / "numba"))
env.read_env(str(QV_DATA / "up.env"), overwrite=False)

# Serving without a key must fail loudly, and Django does so on first use of an empty one.
SECRET_KEY = env.str("SECRET_KEY", default="")
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

# What is played.
DAILY_MODES = env.list("DAILY_MODES", default=["ft-n", "kl-d1n", "kl-d3n"])
QV_GRACE = timedelta(seconds=env.int("QV_GRACE_SECONDS", default=300))
# How long the solver looks for a win of a deal, and how long it then shortens the win.
QV_SOLVE_SECONDS = env.float("QV_SOLVE_SECONDS", default=10.0)
QV_SHORTEN_SECONDS = env.float("QV_SHORTEN_SECONDS", default=20.0)
QV_WORKER_POLL_SECONDS = env.float("QV_WORKER_POLL_SECONDS", default=1.0)
QV_WORKER_DEAF_SECONDS = env.float("QV_WORKER_DEAF_SECONDS", default=60.0)
# Where clients find the live service: an origin; ":8001" is that port of the host by which they came; empty is the
# origin by which they came.
QV_LIVE_URL = env.str("QV_LIVE_URL", default="")
# How many players a club takes, and in how many clubs a player can be.
QV_CLUB_SIZE = env.int("QV_CLUB_SIZE", default=100)
QV_CLUBS_A_PLAYER = env.int("QV_CLUBS_A_PLAYER", default=20)
# What moderators are asked to look at: games faster than so many milliseconds an action, and addresses with so many
# accounts. Of an address a keyed hash is kept, for so long.
QV_HAND_MS = env.int("QV_HAND_MS", default=150)
QV_ACCOUNTS_AN_ADDRESS = env.int("QV_ACCOUNTS_AN_ADDRESS", default=5)
QV_ADDRESS_RETENTION = timedelta(days=env.int("QV_ADDRESS_DAYS", default=14))

# Limits by scope, "for each token:for each address", "-" for none. Callers of the exempt addresses are not counted.
QV_RATES = env.str(
    "QV_RATES",
    default="call:600/minute:1200/minute guest:-:60/hour play:60/minute:300/minute practice:60/minute:120/minute"
    " live:120/minute:600/minute",
)
# How many event streams a live process keeps open for a player, and for an address.
QV_STREAMS_A_PLAYER = env.int("QV_STREAMS_A_PLAYER", default=20)
QV_STREAMS_AN_ADDRESS = env.int("QV_STREAMS_AN_ADDRESS", default=500)
QV_RATE_EXEMPT = frozenset(env.list("QV_RATE_EXEMPT", default=[]))
# Who may read /metrics: whoever shows this token; without one, callers from this machine that came through no proxy.
QV_METRICS_TOKEN = env.str("QV_METRICS_TOKEN", default="")
# Where a worker or beat answers /healthz and /metrics; 0 for nowhere.
QV_WORKER_PORT = env.int("QV_WORKER_PORT", default=0)
# How many proxies of our own stand in front: so many entries of X-Forwarded-For, from its end, are true.
QV_PROXIES = env.int("QV_PROXIES", default=0)

# How long a board stays in Redis after its last change; whoever reads it later has it made anew.
QV_BOARD_RETENTION = timedelta(days=env.int("QV_BOARD_DAYS", default=40))

# How long a guest who doesn't play stays.
QV_GUEST_DAYS = env.int("QV_GUEST_DAYS", default=90)
# Social logins by provider, as JSON: {"github": {"client_id": "...", "secret": "..."}}.
QV_SOCIAL_PROVIDERS: dict[str, dict[str, Any]] = json.loads(env.str("QV_SOCIAL_PROVIDERS", default="") or "{}")

INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.simple_history",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "knox",
    "allauth",
    "allauth.account",
    "allauth.headless",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.usersessions",
    "corsheaders",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "simple_history",
    "csp",
    "games",
    "leaderboards",
    "qvserver",
    *(f"allauth.socialaccount.providers.{provider}" for provider in QV_SOCIAL_PROVIDERS),
]

MIDDLEWARE = [
    "qvserver.health.ProbeMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "qvserver.policy.PolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "games.api.middleware.ApiErrorMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "qvserver.languages.LanguageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "qvserver.cache.RetryAfterMiddleware",
]

ROOT_URLCONF = "qvserver.urls"
WSGI_APPLICATION = "qvserver.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        # Before those of the apps: the admin's first page is ours.
        "DIRS": [BASE_DIR / "qvserver" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "qvserver.site.around",
            ]
        },
    }
]

DATABASES: dict[str, dict[str, Any]] = {"default": {}}
if env.str("DATABASE_URL", default=""):
    DATABASES["default"] = {
        **env.db_url("DATABASE_URL"),
        # One connection a thread, kept: the hot calls cost one or two statements, a new connection costs ten.
        "CONN_MAX_AGE": None,
    }
    # Statements are prepared on second use: planning one costs more than running it. A pooler between here and
    # PostgreSQL has to know prepared statements (pgbouncer 1.21 does).
    DATABASES["default"].setdefault("OPTIONS", {}).update(server_side_binding=True, prepare_threshold=1)

REDIS_URL = env.str("REDIS_URL", default="redis://127.0.0.1:6379/0")
QV_REDIS_PREFIX = env.str("QV_REDIS_PREFIX", default="qv")

# Celery carries wake-ups only: nothing is lost with its messages, and no result is kept.
CELERY_BROKER_URL = env.str("QV_BROKER_URL", default=REDIS_URL).replace("unix://", "redis+socket://")
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "verdicts"
# Searches have a queue and workers of their own: no verdict waits behind one.
CELERY_TASK_ROUTES = {"games.prove": {"queue": "solver"}}
# One process does one thing: more workers are more processes, and a log that kills one kills nothing else.
CELERY_WORKER_POOL = "solo"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"

AUTH_USER_MODEL = "games.Player"
# Names are unique by a constraint on their lower case, which the check doesn't see.
# Whether HSTS covers subdomains and the preload list is for the owner of the domain to say, not for a default.
SILENCED_SYSTEM_CHECKS = ["auth.E003", "auth.W004", "account.W001", "security.W005", "security.W021"]
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# Accounts (django-allauth): its pages are under /accounts/, what clients call is under /_allauth/, in JSON.
ACCOUNT_ADAPTER = "qvserver.accounts.AccountAdapter"
SOCIALACCOUNT_ADAPTER = "qvserver.accounts.SocialAccountAdapter"
HEADLESS_TOKEN_STRATEGY = "qvserver.accounts.TokenStrategy"
# Addresses that mails and social logins lead to: pages of the server's own, or of a client elsewhere.
QV_FRONTEND = env.str("QV_FRONTEND", default="").rstrip("/")
HEADLESS_FRONTEND_URLS = {
    "account_confirm_email": f"{QV_FRONTEND}/accounts/confirm-email/{{key}}/",
    "account_reset_password": f"{QV_FRONTEND}/",
    "account_reset_password_from_key": f"{QV_FRONTEND}/account/reset-password/{{key}}/",
    "account_signup": f"{QV_FRONTEND}/",
    "socialaccount_login_error": f"{QV_FRONTEND}/",
}
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = ACCOUNT_LOGOUT_REDIRECT_URL = "/"
# A guest has a session, and signs up or in all the same.
ACCOUNT_AUTHENTICATED_LOGIN_REDIRECTS = False
# Without asking: sessions live as long as tokens.
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_USER_MODEL_USERNAME_FIELD = "name"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username", "email", "password1*"]
ACCOUNT_USERNAME_MIN_LENGTH = 3
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_MAX_EMAIL_ADDRESSES = 3
# Codes work in every client; nobody who isn't a player here gets mail.
ACCOUNT_PASSWORD_RESET_BY_CODE_ENABLED = True
ACCOUNT_PASSWORD_RESET_BY_CODE_TIMEOUT = 15 * 60
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if env.bool("QV_TLS", default=False) else "http"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "qvserver"
# Browsers allow passkeys without TLS on localhost only.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not env.bool("QV_TLS", default=False)
SOCIALACCOUNT_PROVIDERS = {name: {"APPS": [{"key": "", **app}]} for name, app in QV_SOCIAL_PROVIDERS.items()}
ALLAUTH_TRUSTED_PROXY_COUNT = QV_PROXIES
EMAIL_CONFIG = env.email_url("EMAIL_URL", default="consolemail://")
vars().update(EMAIL_CONFIG)
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="qvserver@localhost")

# Rate limits are counted there; nothing else is.
CACHES = {"default": {"BACKEND": "qvserver.cache.LenientRedisCache", "LOCATION": f"{QV_REDIS_PREFIX}:cache"}}

# Browser clients of other origins call with tokens; cookies stay here.
CORS_URLS_REGEX = r"^/(api|_allauth|live)/"
CORS_ALLOWED_ORIGINS = [origin for origin in env.list("CORS_ALLOWED_ORIGINS", default=[]) if origin != "*"]
CORS_ALLOW_ALL_ORIGINS = "*" in env.list("CORS_ALLOWED_ORIGINS", default=[])
CORS_ALLOW_HEADERS = [
    *default_headers,
    "if-none-match",
    "last-event-id",
    "x-email-verification-key",
    "x-password-reset-key",
    "x-session-token",
]
CORS_EXPOSE_HEADERS = ["ETag", "Location", "Retry-After", "RateLimit", "RateLimit-Policy", "X-Request-ID"]
CORS_PREFLIGHT_MAX_AGE = 24 * 3600

SESSION_COOKIE_AGE = 90 * 24 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"

# Plain HTTP is for loopback only: `up` says so itself. A server that others reach stands behind TLS.
QV_TLS = env.bool("QV_TLS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = QV_TLS
SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=365 * 24 * 3600 if QV_TLS else 0)
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("SECURE_HSTS_INCLUDE_SUBDOMAINS", default=False)
SECURE_HSTS_PRELOAD = env.bool("SECURE_HSTS_PRELOAD", default=False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if QV_TLS else None
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "qvserver.error_pages.csrf_failed"
# No inline script, no third parties (`qvserver.policy` has the exceptions).
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("fr", "French"), ("id", "Indonesian"), ("ms", "Malay"), ("fi", "Finnish")]
# After ours: what allauth says, in the language that it lacks.
LOCALE_PATHS = [
    *(BASE_DIR / app / "locale" for app in ("qvserver", "leaderboards", "games")),
    BASE_DIR / "qvserver" / "allauth_locale",
]
FORMAT_MODULE_PATH = "qvserver.formats"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = QV_DATA / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "qvserver.static_storage.HashedStorage"},
}
WHITENOISE_USE_FINDERS = True

# A log has at most 64 KiB, and a body a little more: JSON may write each of its characters in six.
DATA_UPLOAD_MAX_MEMORY_SIZE = 512 * 1024

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["knox.auth.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "games.api.lean.Schema",
    "EXCEPTION_HANDLER": "games.api.errors.exception_handler",
    "NUM_PROXIES": QV_PROXIES,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
REST_KNOX = {
    "TOKEN_TTL": timedelta(days=90),
    "AUTO_REFRESH": True,
    "MIN_REFRESH_INTERVAL": 24 * 3600,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "qvserver",
    "DESCRIPTION": "Daily deals of Klondike and Forty Thieves: play, submit the move log, be ranked.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "POSTPROCESSING_HOOKS": ["games.api.lean.add_shapes"],
}

UNFOLD = {
    "SITE_TITLE": "qvserver",
    "SITE_HEADER": "qvserver",
    "SITE_SYMBOL": "playing_cards",
    "DASHBOARD_CALLBACK": "qvserver.admin_entry.dashboard",
}
# Going back to an earlier version would bypass the services.
SIMPLE_HISTORY_REVERT_DISABLED = True
# The link that `up` prints works once, and for an hour.
PASSWORD_RESET_TIMEOUT = 3600

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request": {"()": "qvserver.requests.RequestFilter"}},
    "formatters": {
        "text": {"format": "%(asctime)s %(levelname)-7s %(name)s: %(message)s%(request_tag)s"},
        "json": {
            "()": "pythonjsonlogger.json.JsonFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s %(message)s %(request_id)s",
            "rename_fields": {"asctime": "time", "levelname": "level", "name": "logger"},
        },
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": env.str("LOG_FORMAT", default="text"),
            "filters": ["request"],
        }
    },
    "loggers": {
        # A line for each task would drown the rest.
        "celery": {"level": "WARNING"},
        # The server's own lines in the same form as all others.
        "_granian": {"handlers": ["console"], "propagate": False},
    },
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
}
