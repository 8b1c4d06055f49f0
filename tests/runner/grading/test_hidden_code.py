"""Code that an answer hides from the checks: no wrong answer passes by it."""

from collections.abc import Callable, Mapping
from urllib.parse import quote

import pytest

from records.shapes.attempt import Outcome, StepName
from runner.evals.discovery import Eval, discover
from runner.grading.grade import GradingService
from tests.runner.small_eval import EVALS
from tests.support.tiers import leave_to_night

pytestmark = pytest.mark.integration

Files = Mapping[str, str]
WRONG = {
    "001-data_modeling/008-carpet_weaves": ("listed_twice", "convex/carpets.ts"),
    "005-idioms/003-ski_lessons": ("mutations_run_mutations", "convex/lessons.ts"),
}
"""Wrong variants that only a check of the source finds, and the paths of their faults."""


@pytest.fixture(scope="module")
def evals() -> Mapping[str, Eval]:
    """Read the suite."""
    return {each.name: each for each in discover(EVALS).evals}


def _move_module(files: Files, path: str, new_path: str, name: str, others: Files) -> Files:
    """Move a module of convex/ two folders down, and export it again from its old path."""
    text = files[path].replace('from "./', 'from "../../')
    return {**files, path: f'export * from "./{name}";\n', new_path: text, **others}


def _in_generated(files: Files, path: str) -> Files:
    return _move_module(files, path, "convex/x/_generated/code.ts", "x/_generated/code", {})


def _in_a_name_like_generated(files: Files, path: str) -> Files:
    return _move_module(files, path, "convex/x/my_generated/code.ts", "x/my_generated/code", {})


def _in_what_we_generate(files: Files, path: str) -> Files:
    return _move_module(files, path, "convex/_generated/x/code.ts", "_generated/x/code", {})


def _behind_a_manifest(files: Files, path: str) -> Files:
    manifest = '{"main": "code.ts", "types": "decoy.d.ts"}'
    added_files = {"convex/x/y/package.json": manifest, "convex/x/y/decoy.d.ts": "export {};\n"}
    return _move_module(files, path, "convex/x/y/code.ts", "x/y", added_files)


def _behind_a_browser_map(files: Files, path: str) -> Files:
    manifest = files["package.json"].replace(
        "{", '{"browser": {"./convex/x/y/decoy.ts": "./convex/x/y/code.ts"},', 1
    )
    added_files = {"package.json": manifest, "convex/x/y/decoy.ts": "export {};\n"}
    return _move_module(files, path, "convex/x/y/code.ts", "x/y/decoy", added_files)


def _in_a_declaration(files: Files, path: str) -> Files:
    return _move_module(files, path, "convex/x/y/code.d.ts", "x/y/code.d", {})


def _in_javascript(files: Files, path: str) -> Files:
    code = "export const runs = (ctx, f, args) => ctx.runMutation(f, args), a = ['cm', 'pile'];\n"
    return {**files, "convex/x.js": f"// @ts-nocheck\n{code}", path: files[path]}


def _in_an_address(files: Files, path: str) -> Files:
    code = quote("export const a = (ctx, f, args) => ctx.runMutation(f, args);")
    text = f'export * from "data:text/javascript,{code}";\n'
    return {
        **files,
        path: files[path] + text,
        "convex/all.d.ts": 'declare module "data:*" { export const a: unknown; }\n',
    }


def _in_an_address_put_together(files: Files, path: str) -> Files:
    text = 'export const later = import("da" + "ta:text/javascript,export default 1");\n'
    return {**files, path: files[path] + text}


def _under_another_ending(files: Files, path: str) -> Files:
    return {**files, f"{path}x": files[path], path: "export {};\n"}


def _unchecked(files: Files, path: str) -> Files:
    return {**files, path: f"// @ts-nocheck\n{files[path]}"}


HIDDEN: dict[Callable[[Files, str], Files], StepName] = {
    _in_generated: StepName.FILESYSTEM,
    _in_a_name_like_generated: StepName.TESTS,
    _in_what_we_generate: StepName.DEPLOY,
    _behind_a_manifest: StepName.FILESYSTEM,
    _behind_a_browser_map: StepName.FILESYSTEM,
    _in_a_declaration: StepName.TYPECHECK,
    _in_javascript: StepName.LINT,
    _in_an_address: StepName.FILESYSTEM,
    _in_an_address_put_together: StepName.LINT,
    _under_another_ending: StepName.FILESYSTEM,
    _unchecked: StepName.LINT,
}
LINTED_AT_NIGHT = (_in_an_address_put_together, _unchecked)
"""Tricks that the linter finds, which has tests of its own, and one trick at each change."""


FIRST, SECOND = WRONG


@pytest.mark.more
@pytest.mark.parametrize("name", [FIRST, pytest.param(SECOND, marks=pytest.mark.night)])
@pytest.mark.parametrize(
    "hide",
    leave_to_night(
        {hide.__name__.strip("_"): hide for hide in HIDDEN},
        but=[hide.__name__.strip("_") for hide in HIDDEN if hide not in LINTED_AT_NIGHT],
    ),
)
def test_a_wrong_answer_does_not_pass_by_hiding(
    grading: GradingService,
    evals: Mapping[str, Eval],
    hide: Callable[[Files, str], Files],
    name: str,
) -> None:
    """The answer fails at the step that refuses its trick, or in tests that see through it."""
    evaluation = evals[name]
    variant, path = WRONG[name]
    calibrations = evaluation.load_calibrations()
    files = next(each.files for each in calibrations if each.name == variant)
    graded = grading.grade(evaluation, hide(files, path))
    assert graded.outcome is Outcome.FAILED, graded.fault
    assert graded.failed_step is HIDDEN[hide], graded.reason
