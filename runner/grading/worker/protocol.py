"""Messages between the grading service and the grading worker: one JSON object a line."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from records.shapes.attempt import Fault, Test
from records.shapes.base import OutsideText
from runner.backends.backend import Address
from runner.grading.fixtures.rendering import PageRendering


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SelectedTests(_Message):
    """How much of a grader runs: all of it, unless less tells what is asked."""

    only: tuple[str, ...] = ()
    """Tests that run, by their names or by those of their functions; none of them means all."""
    stop_at_failure: bool = False
    """Whether the first test that fails is the last to run."""
    with_output: bool = False
    """Whether prints of the grader and lines that functions log are reported with each test."""


ALL_TESTS: Final = SelectedTests()
"""The selection for published verdicts."""


class GradingRequest(_Message):
    """One run of one grader over one answer."""

    grader: str
    """Path of grader.py."""
    deployment: Address | None
    """None for evals that are not deployed."""
    rendering: PageRendering | None
    """None for evals that are not deployed: their graders render no page."""
    files: dict[str, str]
    time_limit_s: float
    """For all tests together; the worker ends them itself."""
    selection: SelectedTests = ALL_TESTS
    last: bool = False
    """Whether what breaks now is the answer's failure: it broke before, the reference did not."""


class TestOutput(_Message):
    """The texts that came out of one test, beside its verdict."""

    __test__ = False  # pytest would otherwise collect this class

    printed: OutsideText
    """Standard output and error of the grader."""
    logged: tuple[OutsideText, ...] | None
    """Lines that functions of the deployments logged; None where the backend does not tell them."""


class Began(_Message):
    """The worker's child exists, and leads a process group of its own."""

    kind: Literal["began"] = "began"
    pid: int


class Collected(_Message):
    """The tests that will run, in their order."""

    kind: Literal["collected"] = "collected"
    tests: tuple[str, ...]
    printed: OutsideText = ""
    """Prints of the grader's modules while they were imported, where they are asked for."""


class ServiceQuestion(_Message):
    """The worker needs something of the grading service, and waits for the answer."""

    kind: Literal["asks"] = "asks"
    what: Literal["reference", "how_it_ended"]
    """A deployment of the reference answer; or how the model's deployment came to its end."""


class FinishedTest(_Message):
    """One test ended; its log is for the artifact."""

    kind: Literal["finished"] = "finished"
    test: Test
    log: OutsideText
    output: TestOutput | None = None
    """Present where it was asked for."""


class Broke(_Message):
    """Something of ours broke: no verdict can be given."""

    kind: Literal["broke"] = "broke"
    fault: Fault
    log: OutsideText


class Done(_Message):
    """Every test was reported. Without this line there is no verdict."""

    kind: Literal["done"] = "done"


class ServiceReply(_Message):
    """The answer to a ServiceQuestion."""

    deployment: Address | None = None
    ended: OutsideText | None = None
    """How the deployment ended; None while it runs."""
    fault: Fault | None = None
    """Why there is no verdict, where the fault is ours."""


Said = Annotated[
    Began | Collected | ServiceQuestion | FinishedTest | Broke | Done, Field(discriminator="kind")
]
SAID: TypeAdapter[Said] = TypeAdapter(Said)
