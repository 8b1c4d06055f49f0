"""Messages between the driver of a cluster and its workers: JSON, as bytes."""

from collections.abc import Mapping
from importlib.metadata import version

from records.archives.archive import compute_answer_digest
from records.shapes.base import Record, compute_list_digest
from runner.backends.backend import BackendKind
from runner.evals.discovery import Suite
from runner.grading.grade import GradingResult, compute_grader_digest
from runner.grading.worker.protocol import SelectedTests
from runner.jail import Kind
from runner.python_toolchain import GradingToolchain

TOPIC = "leaderboard-graders"
"""The topic of the events by which workers report."""


class GradingOrder(Record):
    """All that a worker's verdicts must depend on, by the driver's files."""

    suite_root: str | None
    """The folder of the suite on this machine; None for the worker's own folder."""
    evals: Mapping[str, str]
    """Digests by the names of the evals."""
    toolchain: str
    """The digest of the programs that grade."""
    versions: Mapping[str, str]
    """The versions of Dask's workers, of Node and of the packages."""
    backend: BackendKind
    sandbox: Kind


class SentSubmission(Record):
    """A submission; the worker has the eval."""

    eval: str
    selection: SelectedTests
    reply: str | None
    """The model's reply; None for an answer without a reply."""
    files: Mapping[str, str] | None
    """The files of an answer without a reply; None for the reference, which the worker has."""


class SentVerdict(Record):
    """The verdict on a submission, or the reason why this worker can give none."""

    worker: str
    """The address of the worker."""
    result: GradingResult | None
    refusal: str | None = None


class WorkerReady(Record):
    """A worker's report that it can grade, or why not."""

    order: str
    """The digest of the order."""
    worker: str
    """The address of the worker."""
    name: str
    """The name of the worker with its machine."""
    threads: int
    refusal: str | None


def write_order(
    suite: Suite,
    toolchain: GradingToolchain,
    backend: BackendKind,
    sandbox: Kind,
    *,
    is_local: bool,
) -> GradingOrder:
    """Return the order for workers; ``is_local`` if they have the same files.

    Raises:
        InvalidEvalError: a file of the suite cannot be used.
    """
    return GradingOrder(
        suite_root=str(suite.root.absolute()) if is_local else None,
        # All that grading reads of an eval: the grader, its settings and the reference.
        evals={
            each.name: compute_list_digest(
                compute_grader_digest(each), compute_answer_digest(each.read_answer())
            )
            for each in suite.evals
        },
        toolchain=toolchain.compute_digest(),
        versions={"distributed": version("distributed"), **toolchain.get_versions()},
        backend=backend,
        sandbox=sandbox,
    )


def find_difference(order: GradingOrder, own: GradingOrder) -> str | None:
    """Return what differs between an order and a worker's own files; None if nothing does."""
    if own.sandbox != order.sandbox:
        return f"its jail is {own.sandbox}, not {order.sandbox}"
    if own.backend != order.backend:
        return f"its backend is {own.backend}, not {order.backend}"
    for package in sorted(order.versions.keys() | own.versions.keys()):
        here, wanted = own.versions.get(package), order.versions.get(package)
        if here != wanted:
            return f"its toolchain has {package} {here or 'not at all'}, not {wanted or 'none'}"
    if own.toolchain != order.toolchain:
        return "its toolchain has other grading programs: check out the driver's commit"
    names = sorted(order.evals.keys() | own.evals.keys())
    different_evals = [name for name in names if own.evals.get(name) != order.evals.get(name)]
    if different_evals:
        more = f" and {len(different_evals) - 1} more" if len(different_evals) > 1 else ""
        return f"its suite differs in {different_evals[0]}{more}: check out the driver's commit"
    return None
