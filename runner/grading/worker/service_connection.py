"""The worker's side of the connection to the grading service."""

from pydantic import BaseModel

from runner.backends.backend import Address
from runner.errors import InfrastructureError
from runner.grading.fixtures.failures import FaultyError
from runner.grading.worker.message_stream import MessageStream
from runner.grading.worker.protocol import ServiceQuestion, ServiceReply


class ServiceConnection:
    """A connection that sends the worker's reports to the grading service, and asks it questions.

    The questions are about two things: a deployment of the reference answer, and the end of the
    deployment of the model's answer.
    """

    def __init__(self, stream: MessageStream) -> None:
        """Send and receive over ``stream``."""
        self._stream = stream

    def send(self, message: BaseModel) -> None:
        """Send a report."""
        self._stream.send(message)

    def request_reference(self) -> Address:
        """Return the address of a deployment of the reference answer, which only this grading uses.

        Raises:
            FaultyError: there is no such deployment; the error has the service's reason.
            InfrastructureError: the service gave neither a deployment nor a reason.
        """
        answer = self._ask(ServiceQuestion(what="reference"))
        if answer.fault is not None:
            raise FaultyError(answer.fault)
        if answer.deployment is None:
            raise InfrastructureError(
                "the grading service gave no reference deployment and no reason"
            )
        return answer.deployment

    def request_end(self) -> ServiceReply:
        """Return a reply that describes the end of the deployment of the model's answer."""
        return self._ask(ServiceQuestion(what="deployment_end"))

    def _ask(self, question: ServiceQuestion) -> ServiceReply:
        self._stream.send(question)
        return ServiceReply.model_validate_json(self._stream.receive())
