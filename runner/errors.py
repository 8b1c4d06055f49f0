"""The tree of errors of this package, in three kinds kept apart.

The user must fix something (UserError, exit code 2), the model failed (ModelFailure: becomes an
outcome, never ends a run), the machinery failed (InfrastructureError, exit code 3, never scored).
Each leaf stands under its kind; a few that are none of the three say which caller turns them into
one.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from records.shapes.attempt import FaultClass


class RunnerError(Exception):
    """Anything this package raises on purpose; the message says what to do."""


# --- The user must fix something -------------------------------------------------------------


class UserError(RunnerError):
    """Whoever gave the command, or wrote the eval, must fix something."""


class InvalidEvalError(UserError):
    """A folder of the suite does not hold what an eval needs; the message names the file."""


class BadSelectionError(UserError):
    """A filter or category that selects nothing, or cannot be understood."""


class UnknownExperimentError(UserError):
    """An experiment was named that does not exist, or its guidelines cannot be read."""


class UnknownSectionError(UserError):
    """The guidelines have no section of that name, or it cannot be tried."""


class PlaceboTooLongError(UserError):
    """A section of the guidelines is too short to be replaced by a placebo of its length."""


class NothingToCheckError(UserError):
    """A change of the guidelines is to be checked, and no eval names a section that changed."""


class CannotResumeError(UserError):
    """A run cannot go on: it is unknown, or what it was made with has changed."""


class ReportExistsError(UserError):
    """A report on the run exists already."""


class UnfinishedRunError(UserError):
    """What was asked for needs a run that has ended."""


class CannotRegradeError(UserError):
    """Today's graders cannot judge a run's answers, or their verdicts would mean nothing."""


class NotPublishableError(UserError):
    """A run cannot be published or withdrawn; the message says why."""


class BadAddressError(UserError):
    """An address given for a server is none, or nobody listens there."""


class UnusableFolderError(UserError):
    """A folder that the user named for work cannot be used."""


class NotMintedError(UserError):
    """Results are to be published under a benchmark version that nobody minted."""


class BudgetSpentError(UserError):
    """The budget does not allow another request; attempts left become not_run."""


class MissingKeyError(UserError):
    """A provider's key is in neither the environment nor .env."""


class UnknownModelError(UserError):
    """No such model: neither in models.toml nor an id that litellm could address."""


class NotAskableError(UserError):
    """A model that writes no text, or that only a person with a login can ask."""


class ChangedParametersError(UserError):
    """A parameter would not be sent as it is asked for, or the provider does not take it."""


class BadTermsError(UserError):
    """--max-tokens, --set or --price say what cannot be sent, or of a model that has an entry."""


class UnknownPriceError(UserError):
    """A budget was set for a model whose price nobody knows."""


class SandboxUnavailableError(UserError):
    """This machine does not have the jail that was asked for."""


class ToolchainMissingError(UserError):
    """The Node toolchain is not installed, or too old."""


# --- The model failed ------------------------------------------------------------------------


class ModelFailure(RunnerError):  # noqa: N818 - a model's failure is a result, not an error
    """What the model wrote cannot be used or does not work; the attempt's outcome is failed."""


class UnusableReplyError(ModelFailure):
    """The reply holds no set of files; the message says why.

    ``kind`` is one of ``empty``, ``no_files``, ``truncated``, ``path_refused``, ``rule_broken``,
    ``too_large``.
    """

    def __init__(self, kind: str, reason: str) -> None:
        """Keep the kind for machines; the message is the reason."""
        super().__init__(reason)
        self.kind = kind


class DeployFailedError(ModelFailure):
    """The backend does not take what the model wrote; the message is the backend's."""


# --- The machinery failed --------------------------------------------------------------------


class InfrastructureError(RunnerError):
    """Something of ours or of a provider broke: never the model's failure."""


class EmptyReplyError(InfrastructureError):
    """A provider finished a reply without text and without output tokens."""


class IncompleteReplyError(InfrastructureError):
    """A provider's stream ended before the reply did."""


class ReplyBrokenOffError(InfrastructureError):
    """A provider ended a reply by a word that tells of a fault of its own."""


class RequestNotMadeError(InfrastructureError):
    """A request could not be made, by a fault of this program or of litellm; nothing was sent."""


class PastTheTransportError(InfrastructureError):
    """A request would leave by another way than the transport that bounds replies."""


class GivenUpError(InfrastructureError):
    """A provider or model failed so often in a row that nobody asks it any more.

    ``kind`` is the cause, the message the evidence.
    """

    def __init__(self, kind: "FaultClass", evidence: str) -> None:
        """Keep the cause for the record."""
        super().__init__(evidence)
        self.kind = kind


class MalformedReplyError(InfrastructureError):
    """A provider sent something other than a reply."""


class ErrorInReplyError(InfrastructureError):
    """A provider sent an error under the status of a reply.

    ``codes`` are the codes in it, of which one may be an HTTP status.
    """

    def __init__(self, message: str, codes: Collection[str]) -> None:
        """Keep the codes; the message quotes the error."""
        super().__init__(message)
        self.codes = frozenset(codes)


class RedirectedError(InfrastructureError):
    """A provider sends requests elsewhere, where neither prompt nor key was meant to go."""


class ReplyTooLargeError(InfrastructureError):
    """A provider sent more than any reply takes, or an event without end."""


class SilentProviderError(InfrastructureError):
    """A provider sent no piece of a reply for as long as its model may be silent."""


class EndlessReplyError(InfrastructureError):
    """A provider did not come to the end of a reply in the time that any reply may take."""


class JailBrokenError(InfrastructureError):
    """A jailed program could not be started or spoken to."""


class BackendUnsupportedError(InfrastructureError):
    """The backend cannot do what it was asked, by its own word: no verdict on the model."""


class BackendBrokenError(InfrastructureError):
    """The backend itself failed: no verdict on the model."""


class ToolchainBrokenError(InfrastructureError):
    """Programs of the toolchain are there but do not work together."""


class GraderMistakeError(InfrastructureError):
    """A grader used a fixture in a way that cannot work; the message says how."""


# --- Decided by the caller -------------------------------------------------------------------


class JailEndedError(RunnerError):
    """A jailed program that was needed has ended; the message says how."""


class WorkspaceError(RunnerError):
    """A file cannot be put where it was asked for; the message names it."""
