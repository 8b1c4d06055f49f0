"""The worker's side of the conversation with the desk."""

from pydantic import BaseModel

from runner.errors import InfrastructureError
from runner.grading.backends.base import Address
from runner.grading.fixtures.failures import FaultyError
from runner.grading.worker.json_lines import Wire
from runner.grading.worker.protocol import Answer, Asks


class DeskLine:
    """Reports to the desk, and asks it for what only the desk can do."""

    def __init__(self, wire: Wire) -> None:
        """Speak over a wire."""
        self._wire = wire

    def send(self, message: BaseModel) -> None:
        """Report."""
        self._wire.send(message)

    def reference(self) -> Address:
        """Return a deployment of the reference answer, for this grading alone."""
        answer = self._ask(Asks(what="reference"))
        if answer.fault is not None:
            raise FaultyError(answer.fault)
        if answer.deployment is None:
            raise InfrastructureError("the desk gave no reference deployment and no reason")
        return answer.deployment

    def how_it_ended(self) -> Answer:
        """Ask what became of the model's deployment, which does not answer."""
        return self._ask(Asks(what="how_it_ended"))

    def _ask(self, question: Asks) -> Answer:
        self._wire.send(question)
        return Answer.model_validate_json(self._wire.receive())
