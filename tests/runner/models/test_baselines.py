"""Baselines answer in the reply format, with all files, no files, or empty functions."""

from pathlib import Path

import pytest

from runner.answers.reply import parse_reply
from runner.answers.rules import CONVEX_RULES, ChangeRules
from runner.answers.stub import stub_answer
from runner.errors import UnusableReplyError
from runner.evals.discovery import Eval, discover
from runner.models.baselines import make_answer, make_reply

pytestmark = pytest.mark.unit


def test_the_oracle_is_read_back_for_every_eval_of_this_repository() -> None:
    """No reference has a file that the reply format loses or the rules leave out."""
    for evaluation in discover(Path(__file__).parents[3] / "evals").evals:
        app = evaluation.read_given()
        rules = ChangeRules(app, evaluation.config.steps) if app else CONVEX_RULES
        read = parse_reply(make_reply("baseline/oracle", evaluation), rules)
        assert (read.files, read.notes) == (evaluation.read_answer(), ()), evaluation.name


def test_the_empty_baseline_answers_nothing(ponds: Eval) -> None:
    """The reply of the empty baseline is empty, and is refused as empty."""
    assert make_answer("baseline/empty", ponds) == {}
    with pytest.raises(UnusableReplyError, match="the reply is empty"):
        parse_reply(make_reply("baseline/empty", ponds))


def test_a_stub_exports_the_same_functions(ponds: Eval) -> None:
    """The stub keeps names, kinds and visibility, also of functions exported after the fact."""
    module = make_answer("baseline/stub", ponds)["convex/ponds.ts"]
    assert module == (
        'import { v } from "convex/values";\n'
        'import { internalMutation, query } from "./_generated/server";\n'
        "\nexport const get = query({ args: v.any(), handler: () => Promise.resolve(null) });\n"
        "\nexport const drain = "
        "internalMutation({ args: v.any(), handler: () => Promise.resolve(null) });\n"
    )


def _stub_file(path: str, text: str) -> str:
    return stub_answer({path: text})[path]


def test_a_stub_of_a_schema_keeps_the_tables() -> None:
    """Tables stay, and accept any fields."""
    text = """
      const pond = defineTable({ name: v.string() }).index("by_name", ["name"]);
      export default defineSchema({ ponds: pond, fish: defineTable({ size: v.number() }) });
    """
    assert _stub_file("convex/schema.ts", text).endswith(
        "export default defineSchema({\n"
        "  ponds: defineTable(v.any()),\n  fish: defineTable(v.any()),\n});\n"
    )


def test_a_stub_in_a_folder_of_the_node_runtime() -> None:
    """The runtime's directive stays, and relative imports still find their target."""
    text = '"use node";\nexport const hash = internalAction({ handler: async () => "x" });\n'
    stubbed = _stub_file("convex/tools/deep/hash.ts", text)
    assert stubbed.startswith('"use node";\n\n')
    assert 'from "../../_generated/server"' in stubbed


def test_a_stub_of_http_actions_and_custom_builders() -> None:
    """HTTP actions answer nothing, and functions of custom builders keep their kind."""
    text = """
      export const hook = httpAction(async () => new Response("x"));
      export const mine = ownedQuery({ args: {}, handler: async () => 1 });
      export const purge = internalOwnedMutation({ args: {}, handler: async () => 1 });
      export default action({ args: {}, handler: async () => 1 });
      export function plain() { return 1; }
      export type Pond = string;
    """
    stubbed = _stub_file("convex/mixed.ts", text)
    assert "export const hook = httpAction(() => Promise.resolve(new Response(null)));" in stubbed
    assert "export const mine = query({" in stubbed
    assert "export const purge = internalMutation({" in stubbed
    assert "export default action({" in stubbed
    assert "plain" not in stubbed


def test_a_stub_of_modules_that_declare_things() -> None:
    """Crons, routes and components are declared, and empty; helpers are empty modules."""
    assert "interval" not in _stub_file("convex/crons.ts", 'crons.interval("x", 1);')
    assert "export default http;" in _stub_file("convex/http.ts", "http.route({});")
    assert (
        _stub_file("convex/lib.ts", "export const double = (n: number) => n * 2;") == "export {};\n"
    )


def test_a_stub_of_a_client_shows_nothing() -> None:
    """Components and hooks stay as functions that give null; other files stay as they are."""
    text = """
      export default function App({ name }: { name: string }) { return <p>{name}</p>; }
      export const Row = () => <i>1</i>;
      export const client = new ConvexReactClient("x");
    """
    assert _stub_file("src/App.tsx", text) == (
        "export default function App() {\n  return null;\n}\n\n"
        "export function Row() {\n  return null;\n}\n"
    )
    assert _stub_file("src/app.css", "p {}") == "p {}"
