# syntax=docker/dockerfile:1
FROM python:3.11-slim AS build
WORKDIR /app
RUN python -m venv /app/.venv
COPY requirements.lock .
RUN /app/.venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock

FROM python:3.11-slim
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/qvserver qvserver
WORKDIR /app
COPY --from=build /app/.venv .venv
COPY manage.py pyproject.toml ./
COPY qvserver qvserver
COPY games games
COPY leaderboards leaderboards
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 QV_DATA=/var/lib/qvserver
RUN mkdir -p /var/lib/qvserver/static /var/lib/qvserver/numba \
    && python manage.py collectstatic --noinput -v0 \
    && chown -R qvserver /var/lib/qvserver
USER qvserver
EXPOSE 8000 8001 9100
HEALTHCHECK CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=5)"]
CMD ["python", "-m", "granian", "--interface", "wsgi", "--host", "0.0.0.0", "--port", "8000", "--blocking-threads", "4", "--backlog", "4096", "--backpressure", "4096", "--log-level", "warning", "qvserver.wsgi:application"]
