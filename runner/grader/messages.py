"""What the desk and the grading worker say to each other: one JSON object a line."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from records.run import Fault, Test


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Connection(_Message):
    """Where a deployment answers."""

    origin: str
    site_origin: str
    socket: str | None
    """Path of its Unix socket; None where it listens on TCP."""
    admin_key: str


class Order(_Message):
    """One run of one grader over one answer."""

    grader: str
    """Path of grader.py."""
    deployment: Connection | None
    """None for evals that are not deployed."""
    files: dict[str, str]
    time_limit_s: float
    """For all tests together; the worker ends them itself."""


class Began(_Message):
    """The worker's child exists, and leads a process group of its own."""

    kind: Literal["began"] = "began"
    pid: int


class Collected(_Message):
    """The tests that will run, in their order."""

    kind: Literal["collected"] = "collected"
    tests: tuple[str, ...]


class Asks(_Message):
    """The worker needs something of the desk, and waits for the answer."""

    kind: Literal["asks"] = "asks"
    what: Literal["reference", "how_it_ended"]
    """A deployment of the reference answer; or how the model's deployment came to its end."""


class Finished(_Message):
    """One test ended; its log is for the artifact."""

    kind: Literal["finished"] = "finished"
    test: Test
    log: str


class Broke(_Message):
    """Something of ours broke: no verdict can be given."""

    kind: Literal["broke"] = "broke"
    fault: Fault
    log: str


class Done(_Message):
    """Every test was reported. Without this line there is no verdict."""

    kind: Literal["done"] = "done"


class Answer(_Message):
    """The desk's answer to Asks."""

    deployment: Connection | None = None
    ended: str | None = None
    """How the deployment ended; None while it runs."""
    fault: Fault | None = None
    """Why there is no verdict, where the fault is ours."""


Said = Annotated[Began | Collected | Asks | Finished | Broke | Done, Field(discriminator="kind")]
SAID: TypeAdapter[Said] = TypeAdapter(Said)
