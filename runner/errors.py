"""The tree of errors of this package, in three kinds.

UserError: the user must fix something (exit code 2). ModelFailure: the model failed; the error
becomes an outcome and never ends a run. InfrastructureError: the machinery failed (exit code 3,
never scored). A few errors at the end have none of these kinds, because only the caller can decide
which kind it is.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from records.shapes.attempt import Fault


class RunnerError(Exception):
    """Base class of all errors that this package raises on purpose."""


# --- The user must fix something -------------------------------------------------------------


class UserError(RunnerError):
    """The user of the command, or the author of the eval, must fix something."""


class InvalidEvalError(UserError):
    """A file of an eval is missing or invalid; the message names the file."""


class BadSelectionError(UserError):
    """An option, or a name that the user gave, is invalid or selects nothing that can be used."""


class CannotResumeError(UserError):
    """A run cannot go on: it is unknown, or the suite, the model or an option has changed."""


class NotReportableError(UserError):
    """A run cannot get a report: it has not ended, or has a report already."""


class CannotRegradeError(UserError):
    """Today's graders cannot judge a run's answers, or their verdicts would mean nothing."""


class NotPublishableError(UserError):
    """Results cannot be published or withdrawn; the message says why."""


class BadAddressError(UserError):
    """The address of a server or a proxy cannot be used, or no server listens there."""


class UnsuitableBackendError(UserError):
    """The graders of a suite cannot judge over the chosen backend."""


class UnusableFileError(UserError):
    """A file or folder that the user named cannot be made or used."""


class BudgetSpentError(UserError):
    """The budget allows no further request; the remaining attempts become not_run."""


class MissingKeyError(UserError):
    """The key of a provider is in neither the environment nor .env."""


class UnknownModelError(UserError):
    """The given model is not in models.toml, and litellm does not know its id either."""


class NotAskableError(UserError):
    """The model writes no text, or takes requests only from a person with a login."""


class ChangedParametersError(UserError):
    """A parameter would be dropped or changed on its way, or the provider refuses it."""


class UnknownPriceError(UserError):
    """A budget was set, and the price of the model is unknown."""


class BadClusterError(UserError):
    """A cluster cannot be used: its address, its certificates, or all its workers are refused."""


class SandboxUnavailableError(UserError):
    """This machine does not have the chosen sandbox."""


class ToolchainMissingError(UserError):
    """The Node toolchain is not installed, or too old."""


# --- The model failed ------------------------------------------------------------------------


class ModelFailure(RunnerError):  # noqa: N818 - a model's failure is a result, not an error
    """The model's answer cannot be used or does not work; the attempt's outcome is failed."""


class UnusableReplyError(ModelFailure):
    """The reply has no usable set of files; the message says why.

    ``kind`` is one of ``empty``, ``no_files``, ``truncated``, ``path_refused``, ``rule_broken``,
    ``too_large``.
    """

    def __init__(self, kind: str, reason: str) -> None:
        """Store the kind; the message is the reason."""
        super().__init__(reason)
        self.kind = kind


class DeployFailedError(ModelFailure):
    """The backend refused the model's code; the message is the backend's."""


# --- The machinery failed --------------------------------------------------------------------


class InfrastructureError(RunnerError):
    """This program, its tools or a provider broke: never the model's failure."""


class RequestNotMadeError(InfrastructureError):
    """A request was not sent, because this program or litellm failed to make it."""


class PastTheTransportError(InfrastructureError):
    """A request was about to bypass the transport, which limits size and time of replies."""


class FaultyError(InfrastructureError):
    """An error that carries a fault which another part of this program found."""

    def __init__(self, fault: "Fault") -> None:
        """Store the fault; the message is its evidence."""
        super().__init__(fault.evidence)
        self.fault = fault


class MalformedReplyError(InfrastructureError):
    """A provider sent data that is not a reply."""


class NotAskedError(MalformedReplyError):
    """A page or a message came in place of the whole reply, so no model was asked."""


class ErrorInReplyError(InfrastructureError):
    """A provider sent an error with the HTTP status of a successful reply.

    ``error`` is the error as JSON, which may have codes. ``headers`` are those of the reply.
    """

    def __init__(self, message: str, error: object = None) -> None:
        """Store the error; the message quotes it."""
        super().__init__(message)
        self.error = error
        self.headers: Mapping[str, str] = {}


class RedirectedError(InfrastructureError):
    """A redirect of a provider was not followed: to another origin, invalid, or one too many."""


class ReplyTooLargeError(InfrastructureError):
    """A provider sent a reply, or an event of a stream, that is larger than the limit."""


class SilentProviderError(InfrastructureError):
    """A provider sent no part of a reply for the longest time that its model may be silent."""


class EndlessReplyError(InfrastructureError):
    """A provider did not end a reply within the time limit of replies."""


class JailBrokenError(InfrastructureError):
    """A jailed program could not be started, or did not communicate as expected."""


class ClusterBrokenError(InfrastructureError):
    """The processes of a cluster on this machine do not start."""


class BackendUnsupportedError(InfrastructureError):
    """The backend reported that it lacks a feature: no verdict on the model."""


class BackendBrokenError(InfrastructureError):
    """The backend itself failed: no verdict on the model."""


class ToolchainBrokenError(InfrastructureError):
    """Programs of the toolchain are installed but do not work together."""


class GraderMistakeError(InfrastructureError):
    """A grader used a fixture in a way that cannot work; the message says how."""


# --- Decided by the caller -------------------------------------------------------------------


class JailEndedError(RunnerError):
    """A jailed program ended while it was needed; the message says how."""


class WorkspaceError(RunnerError):
    """A file or folder of a workspace cannot be written; the message names it."""
