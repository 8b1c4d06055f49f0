"""What a grader sees: `from runner.grader import Convex, FunctionFailed, ...`."""

from runner.backends.values import Int64, Value
from runner.grader.convex import Convex
from runner.grader.deployed import (
    Cron,
    Fetch,
    Function,
    Index,
    Response,
    Scheduled,
    Schema,
    SearchIndex,
    StoredFile,
    Table,
    VectorIndex,
)
from runner.grader.failures import FunctionFailed
from runner.grader.output import Output
from runner.grader.source import Part, Source
from runner.grader.syntax import Call, Import
from runner.grader.written_tests import SuiteRun, WrittenTests, planted
from runner.ui import Page, Ui

__all__ = [
    "Call",
    "Convex",
    "Cron",
    "Fetch",
    "Function",
    "FunctionFailed",
    "Import",
    "Index",
    "Int64",
    "Output",
    "Page",
    "Part",
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
    "WrittenTests",
    "planted",
]
