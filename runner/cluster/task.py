"""The task that a worker of a cluster does.

The scheduler imports this module with each task, so it imports nothing itself.
"""


def grade(order: str, message: bytes) -> bytes:
    """Grade a submission in this worker; ``order`` is the digest of the order that it is under."""
    from runner.cluster.worker import grade_message  # noqa: PLC0415 - only workers grade

    return grade_message(order, message)
