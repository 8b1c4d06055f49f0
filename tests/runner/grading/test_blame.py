"""An answer that imitates a fault of ours in any way is judged, and so is the next answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from records.shapes.attempt import Outcome, StepName
from records.suites.eval_config import EvalLimits
from runner.grading.grade import GradingResult, GradingService
from tests.runner.small_eval import make_node_action, make_value_answer, write_question
from tests.support.tiers import leave_to_night

pytestmark = pytest.mark.integration

PAGE = '''
def test_page(ui):
    """The page shows 42."""
    page = ui.render()
    page.wait_for("42")
'''
LIMITS = EvalLimits(deploy_s=20, tests_s=60)


@pytest.fixture(autouse=True)
def next_attempt_is_unaffected(grading: GradingService, tmp_path: Path) -> Iterator[None]:
    """Grade a right answer after each test of another answer: it passes."""
    yield
    graded = grading.grade(write_question(tmp_path / "next", limits=LIMITS), make_value_answer(42))
    assert (graded.outcome, graded.reason) == (Outcome.PASSED, None)


def make_package_json(declared: str) -> dict[str, str]:
    """Write a package.json with these dependencies."""
    return {"package.json": f'{{"dependencies": {{{declared}}}}}'}


def make_function(body: str) -> dict[str, str]:
    """Write the function that the grader calls, in the default runtime."""
    return {
        "convex/notes.ts": f"""
            import {{ query }} from "./_generated/server";
            export const value = query({{ args: {{}}, handler: async () => {{ {body} }} }});"""
    }


def serve_requests(reply: str) -> dict[str, str]:
    """Write a module that answers requests in the backend's place, except for the first reset."""
    head = f"""
    import * as http from "node:http";
    const emit = http.Server.prototype.emit;
    (http.Server.prototype as any).emit = function (name: string, ...rest: any[]) {{
      const [asked, answered] = rest;
      if (name !== "request" || !/api/.test(asked.url)) return emit.call(this, name, ...rest);
      {reply}
      return true;
    }};
    """
    return make_node_action('return "";', head)


def serve_status(code: int) -> dict[str, str]:
    """Write a module that answers every call with a status."""
    return serve_requests(f"answered.writeHead({code}).end('short and stout');")


def serve_body(text: str) -> dict[str, str]:
    """Write a module that answers every call with a body."""
    return serve_requests(f"answered.writeHead(200).end(`{text}`);")


def forge_word(word: str) -> dict[str, str]:
    """Write a module that sends this word in the backend's place, with its token."""
    head = f"""
    const binding = (process as any).binding("fs");
    const write = binding.writeString;
    binding.writeString = function (to: number, text: string, ...rest: any[]) {{
      const said = to === 1 ? text.replace(/\\{{.*/, `{word}`) : text;
      return write.call(this, to, said, ...rest);
    }};
    """
    return make_node_action('return "";', head)


WAYS = {
    "a range of versions that no library reads": make_package_json('"convex": "1  -  2"'),
    "half a character in a package's name": make_package_json('"convex": "*", "\\ud800": "*"'),
    "half a character as a module loads": {"convex/bad.ts": 'throw new Error("\\ud800");'},
    "half a character in a function's error": make_function('throw new Error("\\ud800");'),
    "half a character in what a linter says": {
        "convex/bad.ts": 'export const a = { "\\ud800": 1, "\\ud800": 2 };'
    },
    "a map that keeps nothing": {
        "convex/bad.ts": "Map.prototype.set = function () { return this; };\nexport const a = 1;"
    },
    "the status of a teapot": serve_status(418),
    "a test control that is not there": serve_status(404),
    "a backend that breaks": serve_status(500),
    "a backend that does not do this": serve_status(501),
    "no JSON": serve_body("<html>"),
    "no object": serve_body("[]"),
    "fields of other types": serve_body('{"status": "success", "value": 1, "logLines": 7}'),
    "a malformed number": serve_body('{"status": "success", "value": {"$integer": "AA"}}'),
    "a value that is nested too deeply": serve_requests(
        'const [open, shut] = ["[".repeat(200_000), "]".repeat(200_000)];'
        'answered.writeHead(200).end(`{"status":"success","value":${open}${shut}}`);'
    ),
    "a system call that is not there": make_function(
        'return Function("return globalThis")().Convex.syscall("1.0/nothing", "{}");'
    ),
    "a fault of the backend, forged": forge_word(
        '{"failed": {"kind": "internal", "message": "x"}}'
    ),
    "what the backend does not do, forged": forge_word(
        '{"failed": {"kind": "unsupported", "message": "x"}}'
    ),
    "a list for a word": forge_word("[]"),
    "no JSON for a word": forge_word("{{{"),
    "a component of Convex's": {
        "convex/convex.config.ts": """
            import { defineApp } from "convex/server";
            const app = defineApp();
            app.use({ componentDefinitionPath: "x", defaultName: "x", isRoot: false } as any);
            export default app;"""
    },
}

EACH_CHANGE = (
    *("a range of versions that no library reads", "half a character in a function's error"),
    *("a backend that breaks", "a system call that is not there"),
    *("what the backend does not do, forged", "a component of Convex's"),
)
"""A way of each kind."""


@pytest.mark.parametrize("more", leave_to_night(WAYS, but=EACH_CHANGE))
def test_no_answer_makes_itself_infrastructure(
    grading: GradingService, tmp_path: Path, more: dict[str, str]
) -> None:
    """A wrong answer that breaks a part or speaks for it has failed, with a reason."""
    graded = grading.grade(write_question(tmp_path, limits=LIMITS), make_value_answer(41, more))
    assert_failed(graded)


def assert_failed(graded: GradingResult) -> None:
    """Check that a verdict is a failure with a reason, and can be recorded."""
    assert graded.outcome is Outcome.FAILED, graded.fault
    assert graded.fault is None
    assert graded.reason
    assert all(step.outcome is not Outcome.INFRASTRUCTURE for step in graded.steps)
    assert all(test.outcome is not Outcome.INFRASTRUCTURE for test in graded.tests or ())


BROKEN = """
const host = (window as any).WebSocket.constructor("return globalThis")();
const { stringify } = host.JSON;
host.JSON.stringify = (told: unknown) => stringify(told).replace("{", `{SAID,`);
export default function App() { return <p>41</p>; }
"""


WORDS = {"broken": '"broken": "it is yours"', "gone": '"gone": "it is"', "cut off": '"result": {{'}


@pytest.mark.more
@pytest.mark.parametrize("word", leave_to_night(WORDS, but=["broken"]))
def test_a_page_cannot_state_that_its_renderer_broke(
    grading: GradingService, tmp_path: Path, word: str
) -> None:
    """A component that answers for the renderer has failed."""
    files = make_value_answer(42, {"src/App.tsx": BROKEN.replace("SAID", word)})
    graded = grading.grade(write_question(tmp_path, PAGE, limits=LIMITS), files)
    assert_failed(graded)
    assert graded.failed_step in {StepName.TYPECHECK, StepName.LINT, StepName.TESTS}
    assert (graded.steps[-1].name, graded.steps[-1].outcome) == (StepName.TESTS, Outcome.FAILED)


def test_code_that_no_engine_can_read_is_the_answers_failure(
    grading: GradingService, tmp_path: Path
) -> None:
    """Brackets nested too deeply fail the deploy, without a run of the type checker."""
    deep = f"export const deep: unknown = {'[' * 20_000}{']' * 20_000};"
    files = make_value_answer(42, {"convex/deep.ts": deep})
    graded = grading.grade(write_question(tmp_path, limits=LIMITS), files)
    assert_failed(graded)
    assert graded.failed_step is StepName.DEPLOY
    assert graded.reason is not None
    assert "RangeError" in graded.reason
    assert graded.steps[-1].name is StepName.DEPLOY


def test_a_break_on_the_reference_too_is_ours(grading: GradingService, tmp_path: Path) -> None:
    """A grader that breaks on every answer gives no verdict, and the reason names both answers."""
    grader = "import os\ndef test_it(convex):\n    os._exit(1)\n"
    graded = grading.grade(write_question(tmp_path, grader, limits=LIMITS), make_value_answer(41))
    assert graded.outcome is Outcome.INFRASTRUCTURE
    assert graded.control is Outcome.INFRASTRUCTURE
    assert graded.reason is not None
    assert "the same of the reference answer" in graded.reason
