"""The shared fixtures of the steps' tests: a workspace, the toolchain, a jail, a right answer."""

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from runner.grading.steps.checks import Linter, Typechecker
from runner.grading.steps.vitest_slots import VitestSlots
from runner.jail import Jail
from runner.toolchain import Toolchain
from runner.workspace import Workspace, create_workspace
from tests.runner.grading.steps.grader_runner import GraderRunner
from tests.support.texts import read_texts

TEXTS = read_texts(__file__)

# The output of code generation, as far as these answers need it.
GENERATED = {
    "convex/_generated/dataModel.d.ts": """
        import type { DataModelFromSchemaDefinition } from "convex/server";
        import schema from "../schema.js";
        export type DataModel = DataModelFromSchemaDefinition<typeof schema>;
    """,
    "convex/_generated/server.d.ts": """
        import { QueryBuilder, MutationBuilder } from "convex/server";
        import type { DataModel } from "./dataModel.js";
        export declare const query: QueryBuilder<DataModel, "public">;
        export declare const mutation: MutationBuilder<DataModel, "public">;
    """,
    "convex/_generated/server.js": """
        import { queryGeneric, mutationGeneric } from "convex/server";
        export const query = queryGeneric;
        export const mutation = mutationGeneric;
    """,
}

RIGHT = {
    **GENERATED,
    "package.json": '{"dependencies": {"convex": "^1.17.0"}}',
    "convex/schema.ts": """
        import { defineSchema, defineTable } from "convex/server";
        import { v } from "convex/values";
        export default defineSchema({ notes: defineTable({ text: v.string() }) });
    """,
    "convex/notes.ts": TEXTS["convex_notes_ts"],
}


@pytest.fixture(scope="session")
def linter(jail: Jail, toolchain: Toolchain) -> Generator[Linter, None, None]:
    """Keep lint workers warm through the tests."""
    with Linter(jail, toolchain) as linter:
        yield linter


@pytest.fixture(scope="session")
def typechecker(jail: Jail, toolchain: Toolchain) -> Typechecker:
    """Return the type checker."""
    return Typechecker(jail, toolchain)


@pytest.fixture
def workspace(tmp_path: Path) -> Generator[Workspace, None, None]:
    """Create the folders of one attempt."""
    with create_workspace(tmp_path) as workspace:
        yield workspace


@pytest.fixture(scope="module")
def slots(
    jail: Jail, toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[VitestSlots]:
    """The processes of a grading service."""
    with VitestSlots(jail, toolchain, tmp_path_factory.mktemp("slots")) as slots:
        yield slots


@pytest.fixture
def runner(jail: Jail, toolchain: Toolchain, slots: VitestSlots, tmp_path: Path) -> GraderRunner:
    """The runner of graders."""
    return GraderRunner(jail, toolchain, slots, tmp_path)
