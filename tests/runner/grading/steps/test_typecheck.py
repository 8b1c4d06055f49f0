"""The typecheck step: the result of TypeScript, by our settings."""

from unittest.mock import Mock

import pytest

from records.shapes.attempt import Outcome
from runner.backends.codegen import GENERATED_FILES, write_generated
from runner.grading.steps.checks import Typechecker
from runner.grading.steps.install import install
from runner.jail import open_jail
from runner.toolchain import Toolchain
from runner.workspace import Workspace
from tests.runner.grading.steps.conftest import RIGHT

pytestmark = pytest.mark.integration

SLOW = (
    "type Grow<T, A extends T[] = []> = A['length'] extends 990 ? A : Grow<T, [...A, T]>;\n"
) + "".join(f"export const a{n} = (x: Grow<{n}>) => x.length;\n" for n in range(200))
"""Types that took more than a minute to check when this was written."""


def test_code_that_is_generated_costs_no_second_check(
    workspace: Workspace, typechecker: Typechecker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Generated code has names of Node, which most answers do without: it is not checked."""
    workspace.write(
        {
            "convex/numbers.ts": "export const five: number = 5;\n",
            "convex/counter/convex.config.ts": 'import { defineComponent } from "convex/server";\n'
            'export default defineComponent("counter");\n',
        }
    )
    write_generated(workspace.project)
    generated = list(workspace.project.glob("convex/**/_generated/*"))
    assert {path.name for path in generated} == GENERATED_FILES
    assert sum("process" in path.read_text() for path in generated) == 2
    compile_once = typechecker._compile  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - counted
    compiled = Mock(side_effect=compile_once)
    monkeypatch.setattr(Typechecker, "_compile", compiled)
    result = typechecker.check(workspace, 60)
    assert (result.step.outcome, result.log) == (Outcome.PASSED, "")
    assert compiled.call_count == 1


def test_errors_are_counted_and_the_first_is_reported(
    workspace: Workspace, typechecker: Typechecker
) -> None:
    """The message is the first error with its place, relative to the project; the log has all."""
    workspace.write({**RIGHT, "convex/bad.ts": "const a: number = 'x';\nconst b: string = 1;\n"})
    result = typechecker.check(workspace, 60)
    assert result.step.outcome is Outcome.FAILED
    assert result.step.message == (
        "convex/bad.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'. "
        "(and 1 more error)"
    )
    assert result.log.count("error TS2322") == 2


def test_settings_of_the_model_are_ignored(workspace: Workspace, typechecker: Typechecker) -> None:
    """A tsconfig.json that excludes everything, or is malformed, changes nothing."""
    lax = '{"compilerOptions": {"strict": false}, "files": []}'
    wrong = "export const f = (x) => x;\n"
    workspace.write(
        {**RIGHT, "tsconfig.json": "{", "convex/tsconfig.json": lax, "convex/bad.ts": wrong}
    )
    result = typechecker.check(workspace, 60)
    assert "TS7006" in (result.step.message or "")


def test_a_file_that_does_not_parse(workspace: Workspace, typechecker: Typechecker) -> None:
    """A syntax error is the model's failure like any other."""
    workspace.write({**RIGHT, "convex/bad.ts": "export const = ;"})
    result = typechecker.check(workspace, 60)
    assert result.step.outcome is Outcome.FAILED
    assert "convex/bad.ts(1,14): error TS1134" in (result.step.message or "")


@pytest.mark.more
def test_past_its_time_it_fails(workspace: Workspace, typechecker: Typechecker) -> None:
    """Types that take longer to check than the eval allows are the model's failure."""
    workspace.write({**RIGHT, "convex/slow.ts": SLOW})
    result = typechecker.check(workspace, 0.5)
    assert result.step.outcome is Outcome.FAILED
    assert result.step.message == "the type checker passed its limit: cpu"


WRONG = "export const size: number = 'x';\n"


PLACES = (
    *("convex/size.ts", "convex/sizes.tsx", "convex/size.mts", "convex/size.cts", "src/size.ts"),
    *("convex/deep/_generated/size.ts", "convex/_generated.ts", "shared/size.ts", "size.ts"),
    *("convex/my_generated/size.ts", "src/size.tsx"),
)


def test_every_script_is_checked(workspace: Workspace, typechecker: Typechecker) -> None:
    """The compiler names a wrong script in any folder, also beside a script of the same name."""
    workspace.write({**RIGHT, **dict.fromkeys(PLACES, WRONG), "convex/sizes.json": "[1]"})
    log = typechecker.check(workspace, 60).log
    assert [path for path in PLACES if f"{path}(1,14): error TS2322" not in log] == []


@pytest.mark.parametrize(
    "ending",
    [
        ".js",
        *(pytest.param(ending, marks=pytest.mark.night) for ending in (".jsx", ".mjs", ".cjs")),
    ],
)
def test_javascript_is_checked_as_strictly(
    workspace: Workspace, typechecker: Typechecker, ending: str
) -> None:
    """Types are inferred, and must be written where they cannot be."""
    path = f"convex/size{ending}"
    right = "export const size = [1].length;\nsize.toFixed();\n"
    workspace.write({**RIGHT, path: right})
    assert typechecker.check(workspace, 60).log == ""
    workspace.write({path: f"{right}size.toUpperCase();\nexport const f = (n) => n;\n"})
    log = typechecker.check(workspace, 60).log
    assert f"{path}(3,6): error TS2339" in log
    assert f"{path}(4,19): error TS7006" in log


@pytest.mark.more
def test_declarations_are_checked(workspace: Workspace, typechecker: Typechecker) -> None:
    """Only the declarations that an answer brings are checked, and none of a package's."""
    imports = 'import "convex-test";\nimport "react-dom/client";\nimport "vitest";\n'
    workspace.write({**RIGHT, "src/all.ts": imports, "src/env.d.ts": "declare const a: number;\n"})
    assert typechecker.check(workspace, 60).log == ""
    workspace.write({"src/env.d.ts": "declare const a: Nmber;\n"})
    result = typechecker.check(workspace, 60)
    assert (result.step.message or "").startswith("src/env.d.ts(1,18): error TS2552")


@pytest.mark.more
def test_one_answer_leaves_nothing_to_the_next(
    workspace: Workspace, typechecker: Typechecker
) -> None:
    """Global names that an answer declares are unknown to the next answer."""
    workspace.write({**RIGHT, "convex/all.d.ts": "declare const everywhere: number;\n"})
    workspace.write({"convex/uses.ts": "export const is = everywhere;\n"})
    first = typechecker.check(workspace, 60)
    (workspace.project / "convex/all.d.ts").unlink()
    second = typechecker.check(workspace, 60)
    assert first.step.outcome is Outcome.PASSED
    assert "error TS2304: Cannot find name 'everywhere'" in (second.step.message or "")


@pytest.mark.more
def test_types_without_end_are_an_error_of_their_answer_alone(
    workspace: Workspace, typechecker: Typechecker
) -> None:
    """The next answer is checked as if no such answer had come before."""
    endless = (
        "type Row<N extends number, T extends unknown[] = []> = "
        "T['length'] extends N ? T : Row<N, [...T, N]>;\n"
        "export const row: Row<999> = [];\n"
    )
    workspace.write({**RIGHT, "convex/endless.ts": endless})
    wrong = typechecker.check(workspace, 60)
    (workspace.project / "convex/endless.ts").unlink()
    right = typechecker.check(workspace, 60)
    assert wrong.step.outcome is Outcome.FAILED
    assert right.step.outcome is Outcome.PASSED


def test_without_a_jail_no_path_of_this_machine_is_shown(
    workspace: Workspace, toolchain: Toolchain
) -> None:
    """Errors that name other files name them relative to the project."""
    jail = open_jail("none")
    workspace.write({**RIGHT, "convex/bad.ts": 'import { nothing } from "./notes";\nnothing;'})
    assert install(workspace, toolchain).passed
    result = Typechecker(jail, toolchain).check(workspace, 60)
    assert result.step.outcome is Outcome.FAILED
    assert str(workspace.root) not in result.log
    assert "convex/bad.ts(1,10)" in result.log
