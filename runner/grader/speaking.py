"""Turns what can go wrong between a grader and a deployment into what it means for the test."""

from collections.abc import Generator
from contextlib import contextmanager

from runner.backends.client import ForeignAddressError, FunctionError, RequestRefusedError
from runner.backends.connection import NoAnswerError, UnreachableError
from runner.errors import BackendBrokenError, GraderMistakeError
from runner.grader.failures import (
    DeploymentConfused,
    DeploymentLost,
    ForeignAddress,
    FunctionFailed,
    FunctionHung,
)


@contextmanager
def speaking(about: str) -> Generator[None]:
    """Speak with a deployment; ``about`` begins every message.

    Raises FunctionFailed for what the deployment says no to, FunctionHung and DeploymentLost when
    it says nothing, DeploymentConfused when it says what no backend says, ForeignAddress for a URL
    that is not its own, GraderMistakeError for what cannot even be asked.
    """
    try:
        yield
    except FunctionError as error:
        raise FunctionFailed(about, error.message, error.data, error.log_lines) from None
    except RequestRefusedError as error:
        reason = f"the deployment refused the request: {error}"
        raise DeploymentConfused(f"{about}: {reason}") from error
    except ForeignAddressError as error:
        # Graders write paths themselves: a whole URL is one that the answer gave out.
        raise ForeignAddress(f"{about}: {error}") from None
    except (TypeError, ValueError) as error:
        raise GraderMistakeError(f"{about}: {error}") from error
    except NoAnswerError as error:
        raise FunctionHung(f"{about}: no answer came in time") from error
    except UnreachableError as error:
        raise DeploymentLost(f"{about}: the deployment does not answer") from error
    except BackendBrokenError as error:
        raise DeploymentConfused(f"{about}: {error}") from error
