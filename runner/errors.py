"""What can go wrong in this package, in three kinds kept apart.

The user must fix it (UserError), the model failed (those are outcomes, or ModelFailedError where a
step needs to say so), the machinery failed (MachineryError: infrastructure, never scored).
"""


class RunnerError(Exception):
    """Anything this package raises on purpose; the message says what to do."""


class UserError(RunnerError):
    """Whoever gave the command must fix something."""


class MachineryError(RunnerError):
    """Something of ours broke: never the model's failure."""


class SandboxUnavailableError(UserError):
    """This machine does not have the jail that was asked for."""


class ToolchainMissingError(UserError):
    """The Node toolchain is not installed, or too old."""


class JailBrokenError(MachineryError):
    """A jailed program could not be started or spoken to."""


class JailEndedError(RunnerError):
    """A jailed program that was needed has ended; the message says how."""


class WorkspaceError(RunnerError):
    """A file cannot be put where it was asked for; the message names it."""
