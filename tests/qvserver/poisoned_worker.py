"""A real worker in which the engine breaks on purpose: `python -m tests.qvserver.poisoned_worker die|raise`.

On the log that `POISON` names it kills its process or raises; every other log it replays as always.
"""

from __future__ import annotations

import os
import signal
import sys

POISON = "d d d d d d d"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "qvserver.settings")
    import django

    django.setup()
    from games.services import verification

    verify = verification.verify

    def poisoned(deal: object, log: str) -> object:
        if log == POISON:
            if sys.argv[1] == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            raise ZeroDivisionError("the engine broke on purpose")
        return verify(deal, log)  # type: ignore[arg-type]

    verification.verify = poisoned  # type: ignore[assignment]
    from qvserver.celery import app

    app.worker_main(["worker", "-Q", "verdicts", "-l", "warning", "-n", "poisoned@tests"])


if __name__ == "__main__":
    main()
