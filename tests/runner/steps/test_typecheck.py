"""The typecheck step: TypeScript's word, by our settings."""

from records.run import Outcome
from runner.jail import Jail, open_jail
from runner.steps.install import install
from runner.steps.typecheck import typecheck
from runner.toolchain import Toolchain
from runner.workspace import Workspace
from tests.runner.steps.conftest import RIGHT


def test_a_right_answer_passes(workspace: Workspace, toolchain: Toolchain, jail: Jail) -> None:
    """Types of Convex, of Node and of the project itself are all there."""
    workspace.write(RIGHT)
    result = typecheck(workspace, toolchain, jail, 60)
    assert (result.step.outcome, result.log) == (Outcome.PASSED, "")


def test_errors_are_counted_and_the_first_is_said(
    workspace: Workspace, toolchain: Toolchain, jail: Jail
) -> None:
    """The message is the first error with its place, relative to the project; the log has all."""
    workspace.write({**RIGHT, "convex/bad.ts": "const a: number = 'x';\nconst b: string = 1;\n"})
    result = typecheck(workspace, toolchain, jail, 60)
    assert result.step.outcome is Outcome.FAILED
    assert result.step.message == (
        "convex/bad.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'. "
        "(and 1 more error)"
    )
    assert result.log.count("error TS2322") == 2


def test_settings_of_the_model_are_ignored(
    workspace: Workspace, toolchain: Toolchain, jail: Jail
) -> None:
    """A tsconfig.json that excludes everything, or is malformed, changes nothing."""
    lax = '{"compilerOptions": {"strict": false}, "files": []}'
    wrong = "export const f = (x) => x;\n"
    workspace.write(
        {**RIGHT, "tsconfig.json": "{", "convex/tsconfig.json": lax, "convex/bad.ts": wrong}
    )
    result = typecheck(workspace, toolchain, jail, 60)
    assert "TS7006" in (result.step.message or "")


def test_a_file_that_does_not_parse(workspace: Workspace, toolchain: Toolchain, jail: Jail) -> None:
    """A syntax error is the model's failure like any other."""
    workspace.write({**RIGHT, "convex/bad.ts": "export const = ;"})
    result = typecheck(workspace, toolchain, jail, 60)
    assert result.step.outcome is Outcome.FAILED
    assert "convex/bad.ts(1,14): error TS1134" in (result.step.message or "")


def test_past_its_time_it_fails(workspace: Workspace, toolchain: Toolchain, jail: Jail) -> None:
    """Types that take longer to check than the eval allows are the model's failure."""
    workspace.write(RIGHT)
    result = typecheck(workspace, toolchain, jail, 0.01)
    assert result.step.outcome is Outcome.FAILED
    assert result.step.message == "the type checker passed its limit: wall"


def test_without_a_jail_no_path_of_this_machine_is_shown(
    workspace: Workspace, toolchain: Toolchain
) -> None:
    """Errors that name other files name them relative to the project."""
    jail = open_jail("none")
    workspace.write({**RIGHT, "convex/bad.ts": 'import { nothing } from "./notes";\nnothing;'})
    assert install(workspace, toolchain, jail, "linked").passed
    result = typecheck(workspace, toolchain, jail, 60)
    assert result.step.outcome is Outcome.FAILED
    assert str(workspace.root) not in result.log
    assert "convex/bad.ts(1,10)" in result.log
