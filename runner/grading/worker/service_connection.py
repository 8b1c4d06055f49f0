"""The worker's side of the connection to the grading service."""

from pydantic import BaseModel

from runner.backends.backend import Address
from runner.errors import InfrastructureError
from runner.grading.fixtures.failures import FaultyError
from runner.grading.worker.message_stream import MessageStream
from runner.grading.worker.protocol import ServiceQuestion, ServiceReply


class ServiceConnection:
    """Sends reports to the grading service, and asks it for deployments and their ends."""

    def __init__(self, stream: MessageStream) -> None:
        """Send and receive over ``stream``."""
        self._stream = stream

    def send(self, message: BaseModel) -> None:
        """Send a report."""
        self._stream.send(message)

    def reference(self) -> Address:
        """Return a deployment of the reference answer, for this grading alone.

        Raises FaultyError with the service's reason if there is none.
        """
        answer = self._ask(ServiceQuestion(what="reference"))
        if answer.fault is not None:
            raise FaultyError(answer.fault)
        if answer.deployment is None:
            raise InfrastructureError(
                "the grading service gave no reference deployment and no reason"
            )
        return answer.deployment

    def how_it_ended(self) -> ServiceReply:
        """Return the service's reply on the end of the model's deployment."""
        return self._ask(ServiceQuestion(what="how_it_ended"))

    def _ask(self, question: ServiceQuestion) -> ServiceReply:
        self._stream.send(question)
        return ServiceReply.model_validate_json(self._stream.receive())
