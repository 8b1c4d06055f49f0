"""Answers that change a given app, and graders that deploy several apps over the same data."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from records.shapes.attempt import Outcome, StepName
from records.suites.eval_config import EvalConfig
from runner.evals.discovery import Eval
from runner.grading.grade import GradingService
from tests.runner.small_eval import write_question
from tests.support.texts import read_texts, write_files

pytestmark = pytest.mark.integration

TEXTS = read_texts(__file__)
SCHEMA, GOODS = TEXTS["schema"], TEXTS["goods"]
GIVEN = {
    "package.json": '{"name": "goods", "dependencies": {"convex": "^1.17.0"}}\n',
    "convex/schema.ts": SCHEMA,
    "convex/goods.ts": GOODS,
    "convex/old.ts": 'export { list } from "./goods";\n',
}
STRICT = SCHEMA.replace("price: v.number() }", "cents: v.number() }")


def write_given(
    folder: Path, grader: str, *, steps: int = 0, files: Mapping[str, str] = GIVEN
) -> Eval:
    """Write an eval that gives an app of goods, and whose answers have so many steps."""
    evaluation = write_question(folder, grader)
    write_files(evaluation.folder / "given", files)
    config = EvalConfig.model_validate({**evaluation.config.model_dump(), "steps": steps})
    return Eval(evaluation.name, evaluation.folder, evaluation.task, config)


def test_an_answer_changes_adds_and_deletes_files(grading: GradingService, tmp_path: Path) -> None:
    """The given app with the answer's files is deployed; the record has only the answer's files."""
    evaluation = write_given(
        tmp_path,
        '''
        def test_it(convex, output, source) -> None:
            """Old, changed and added functions are there, the deleted is not."""
            convex.mutation("goods:add", {"name": "tea", "price": 2})
            assert [good["name"] for good in convex.query("goods:list")] == ["tea"]
            assert convex.query("more:count") == 1
            assert "old:list" not in convex.functions
            assert not output.has("old.ts") and output.has("schema.ts")
            assert "canary" not in output.text("goods.ts")
        ''',
    )
    more = (
        'import { query } from "./_generated/server";\n\nexport const count = query({ args: {}, '
        'handler: async (ctx) => (await ctx.db.query("goods").take(9)).length });\n'
    )
    answer = {"convex/more.ts": more, "convex/old.ts": "// DELETE THIS FILE\n"}
    verdict = grading.grade(evaluation, answer)
    assert verdict.outcome is Outcome.PASSED, verdict.reason
    assert verdict.files == answer


def test_steps_are_deployed_over_the_same_data(grading: GradingService, tmp_path: Path) -> None:
    """A refused deploy has Convex's message and changes nothing; each test begins anew."""
    evaluation = write_given(tmp_path, TEXTS["migration"], steps=2)
    both = "price: v.optional(v.number()), cents: v.optional(v.number()) }"
    loose = SCHEMA.replace("price: v.number() }", both)
    answer = {
        "step1/convex/schema.ts": loose,
        "step1/convex/fill.ts": TEXTS["fill"],
        "step2/convex/schema.ts": STRICT,
        "step2/convex/fill.ts": "DELETE THIS FILE",
        "step2/convex/goods.ts": GOODS.replace("price", "cents"),
    }
    verdict = grading.grade(evaluation, answer)
    assert verdict.outcome is Outcome.PASSED, (verdict.reason, verdict.tests)


COMPONENT = {
    "convex/convex.config.ts": TEXTS["app_config"],
    "convex/quota/convex.config.ts": TEXTS["quota_config"],
    "convex/quota/schema.ts": TEXTS["quota_schema"],
    "convex/quota/uses.ts": TEXTS["quota_uses"],
}
WITH_QUOTA = GOODS.replace(
    "import { mutation", 'import { components } from "./_generated/api";\nimport { mutation'
).replace(
    "args);\n",
    "args);\n    await ctx.runMutation(components.quota.uses.use, { name: args.name });\n",
)


def test_a_component_may_be_given_and_taken_out(grading: GradingService, tmp_path: Path) -> None:
    """A local component works, with its types; the data of a component that goes is kept."""
    evaluation = write_given(
        tmp_path,
        '''
        def test_it(convex) -> None:
            """The component's table has an entry for each good of its time."""
            convex.deploy("step1")
            convex.mutation("goods:add", {"name": "tea", "price": 2})
            convex.deploy("answer")
            convex.mutation("goods:add", {"name": "ink", "price": 2})
            convex.deploy("step1")
            assert [use["name"] for use in convex.component("quota").table("uses")] == ["tea"]
            assert len(convex.query("goods:list")) == 2
        ''',
        steps=2,
    )
    with_quota = {**COMPONENT, "convex/goods.ts": WITH_QUOTA}
    answer = {f"step1/{path}": text for path, text in with_quota.items()}
    answer |= {f"step2/{path}": "DELETE THIS FILE\n" for path in COMPONENT}
    answer["step2/convex/goods.ts"] = GOODS
    verdict = grading.grade(evaluation, answer)
    assert verdict.outcome is Outcome.PASSED, (verdict.reason, verdict.tests)
    only_given = write_given(
        tmp_path / "given",
        '''
        def test_it(convex) -> None:
            """The given component is installed."""
            convex.mutation("goods:add", {"name": "tea", "price": 2})
            assert len(convex.component("quota").table("uses")) == 1
        ''',
        files={**GIVEN, **with_quota},
    )
    verdict = grading.grade(only_given, {"convex/old.ts": "DELETE THIS FILE"})
    assert verdict.outcome is Outcome.PASSED, (verdict.reason, verdict.tests)


def test_functions_that_wait_end_with_their_own_code(
    grading: GradingService, tmp_path: Path
) -> None:
    """An action that waits for a reply goes on with the code that began; its job runs the new."""
    evaluation = write_given(
        tmp_path,
        '''
        def test_it(convex) -> None:
            """The old action stores "old", the job that it schedules stores "new"."""
            convex.stub_fetch("https://slow.test/", after=60, body="ok")
            convex.deploy("step1")
            convex.mutation("slow:begin")
            convex.settle()
            convex.deploy("answer")
            convex.clock.advance(61)
            names = [good["name"] for good in convex.table("goods")]
            assert names == ["old", "job of new"]
        ''',
        steps=2,
    )
    slow = TEXTS["slow"]
    answer = {
        "step1/convex/slow.ts": slow,
        "step2/convex/slow.ts": slow.replace("of old", "of new"),
    }
    answer["step2/convex/slow.ts"] = answer["step2/convex/slow.ts"].replace('"old"', '"new"')
    verdict = grading.grade(evaluation, answer)
    assert verdict.outcome is Outcome.PASSED, (verdict.reason, verdict.tests)


@pytest.mark.parametrize("app", ["step3", "given"])
def test_a_mistake_of_the_eval_is_no_failure_of_the_answer(
    grading: GradingService, tmp_path: Path, app: str
) -> None:
    """An app that does not exist, and a given app that does not deploy, judge nobody."""
    grader = f'def test_it(convex) -> None:\n    """It."""\n    convex.deploy("{app}")\n'
    files = {**GIVEN, "convex/wrong.ts": "export const a = missing.b;\n"}
    evaluation = write_given(tmp_path, grader, files=files)
    verdict = grading.grade(evaluation, {"convex/wrong.ts": "DELETE THIS FILE"})
    assert verdict.outcome is Outcome.INFRASTRUCTURE
    assert verdict.reason is not None
    named = "no such app" if app == "step3" else "given app does not deploy: Failed to analyze"
    assert named in verdict.reason


def test_the_types_of_each_step_are_checked(grading: GradingService, tmp_path: Path) -> None:
    """A fault of an earlier step, which the last mends, is named with the step's folder."""
    grader = 'def test_it(convex) -> None:\n    """It."""\n'
    evaluation = write_given(tmp_path, grader, steps=2)
    right = "export const count: number = 1;\n"
    answer = {"step1/convex/count.ts": right.replace("1", '"1"'), "step2/convex/count.ts": right}
    verdict = grading.grade(evaluation, answer)
    assert verdict.failed_step is StepName.TYPECHECK
    assert verdict.reason is not None
    assert verdict.reason.startswith("step1/convex/count.ts")
    assert grading.grade(evaluation, {**answer, "step1/convex/count.ts": right}).reason is None
