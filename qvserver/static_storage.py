"""Static files: named by their content once they are collected, so that each may be kept for ever and none is stale."""

from __future__ import annotations

from typing import Any

import brotli
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage as Storage

#: What players load. The rest is for admins and developers: compressing its megabytes would take a minute.
OWN_FOLDERS = ("games/", "leaderboards/", "site/")


def _patterns() -> tuple[Any, ...]:
    """Where names of files stand: in all style sheets, and of scripts in our own modules, which import each other."""
    imports = Storage._js_module_import_aggregation_patterns[1]
    return (
        *((kind, found) for kind, found in Storage.patterns if kind != "*.js"),
        *((f"{folder}*.js", imports) for folder in OWN_FOLDERS),
    )


class HashedStorage(Storage):  # type: ignore[misc]
    """Serves files by hashed names; before ``collectstatic`` by their own."""

    patterns = _patterns()
    #: Each pass settles the names of modules one step further up the imports.
    max_post_process_passes = 20

    def stored_name(self, name: str) -> str:
        """The name under which a file is served."""
        return super().stored_name(name) if self.hashed_files else name

    def create_compressor(self, **options: Any) -> Compressor:
        """What makes the ``.br`` and ``.gz`` beside a file."""
        return _OwnCompressor(**options)


class _OwnCompressor(Compressor):  # type: ignore[misc]
    @staticmethod
    def compress_brotli(data: bytes) -> bytes:
        """Not quite as small as can be, and ten times as fast."""
        return bytes(brotli.compress(data, quality=9))

    def should_compress(self, filename: str) -> bool:
        return filename.startswith(OWN_FOLDERS) and super().should_compress(filename)
