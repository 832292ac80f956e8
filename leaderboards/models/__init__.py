"""What is compared."""

from .standing import Standing

__all__ = ["Standing"]
