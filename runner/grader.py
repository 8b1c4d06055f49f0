"""Names that graders import: `from runner.grader import Convex, FunctionFailed, ...`."""

from runner.answers.typescript import Call, Import
from runner.backends.client import Response
from runner.backends.values import Int64, Value
from runner.grading.fixtures.convex import Convex
from runner.grading.fixtures.deployed import (
    Cron,
    Fetch,
    Footprint,
    Function,
    Index,
    ReadRange,
    Scheduled,
    Schema,
    SearchIndex,
    StoredFile,
    Table,
    VectorIndex,
    WrittenDocument,
)
from runner.grading.fixtures.failures import FunctionFailed
from runner.grading.fixtures.page import Page, Ui
from runner.grading.fixtures.source import Output, Part, Source
from runner.grading.fixtures.written_tests import SuiteRun, WrittenTests, planted

__all__ = [
    "Call",
    "Convex",
    "Cron",
    "Fetch",
    "Footprint",
    "Function",
    "FunctionFailed",
    "Import",
    "Index",
    "Int64",
    "Output",
    "Page",
    "Part",
    "ReadRange",
    "Response",
    "Scheduled",
    "Schema",
    "SearchIndex",
    "Source",
    "StoredFile",
    "SuiteRun",
    "Table",
    "Ui",
    "Value",
    "VectorIndex",
    "WrittenDocument",
    "WrittenTests",
    "planted",
]
