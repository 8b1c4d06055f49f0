"""What can go wrong in this package: the user must fix something."""


class ReviewError(Exception):
    """Anything this package raises on purpose; the message says what to do."""


class KeyNameError(ReviewError):
    """A key's name is taken, unknown, or none."""


class AuditError(ReviewError):
    """An audit cannot be drawn, or there is none of this name."""
