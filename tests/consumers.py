"""Loads our exports in the programs they are made for, offline.

    python -m tests.consumers

Installs DeepEval, Inspect and Hugging Face datasets into a virtual environment of their own,
`.cache/consumers/`, which takes minutes; then nothing is asked of any other machine. Ends with 1
where a consumer reads something else than we wrote.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from review.exports.formats import FORMATS, ExportCounts, exported
from review.exports.rows import ExportOptions
from tests.review.corpus import NASTY

ROOT: Final = Path(__file__).parents[1]
HOME: Final = ROOT / ".cache" / "consumers"
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

for name in ("openai", "huggingface", "openai-evals"):
    file, cache = str(folder / f"{name}.jsonl"), str(folder / "hf")
    table = datasets.load_dataset("json", data_files=file, split="train", cache_dir=cache)
    found[name] = len(table)
for name, number in found.items():
    print(f"{name}: {number} of {rows[name]} rows")
    assert number == rows[name], name
"""


def main() -> int:
    """Write every export of the nasty corpus, and load what has a loader; return the exit code."""
    python = HOME / "bin" / "python"
    if not (HOME / ".ready").exists():
        sys.stdout.write("installing DeepEval, Inspect and datasets ...\n")
        subprocess.run([sys.executable, "-m", "venv", HOME], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        (HOME / ".ready").touch()
    with tempfile.TemporaryDirectory() as folder:
        for name, form in FORMATS.items():
            counts = ExportCounts()
            text = "".join(exported(NASTY, form, ExportOptions(), counts))
            (Path(folder) / f"{name}{form.suffix}").write_text(text, "utf-8", newline="")
            (Path(folder) / f"{name}.count").write_text(json.dumps(counts.rows))
        offline = {
            "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
            "HF_HUB_OFFLINE": "1",
            "HF_DATASETS_OFFLINE": "1",
            "HOME": folder,
        }
        loaded = subprocess.run(
            [python, "-c", _LOADER, folder, json.dumps(list(FORMATS))],
            cwd=folder,
            env=os.environ | offline,
            check=False,
        )
    return loaded.returncode


if __name__ == "__main__":
    sys.exit(main())
