"""The errors of the API: each refusal of a request, with its HTTP status."""

from collections.abc import Mapping
from typing import Final


class ApiError(Exception):
    """A request was refused, and nothing was written."""

    def __init__(
        self,
        status: int,
        reason: str,
        parameter: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Store the status, the reason, the wrong parameter or field if any, and extra headers."""
        super().__init__(reason)
        self.status: Final = status
        self.reason: Final = reason
        self.parameter: Final = parameter
        self.headers: Final = dict(headers or {})
