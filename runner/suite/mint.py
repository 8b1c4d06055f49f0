"""The benchmark version of a suite. Scores of the same version are comparable.

The version changes if a part changes that can affect the scores of all models: the grading
protocol, the prompts, and the task, grader and configuration of each eval. Lock files, logs,
generated folders, reference answers, calibrations and the canary do not affect it.

Another emulator, other tools or another reference change it only if they changed a verdict on a
stored answer. `leaderboard suite mint` writes this into ``tools.json`` beside the guidelines.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from records.files.data_folder import DataFolder
from records.files.problems import describe_first_problem
from records.reader import read_benchmark
from records.shapes.base import Digest, EvalName
from records.suites import canary
from records.suites.benchmark import Benchmark, EvalDigests, compute_texts_digest
from records.text.numbers import format_count
from records.writer import write_atomically, write_record
from runner.answers.prompt import frame_nothing, render_given
from runner.errors import InvalidEvalError
from runner.evals.discovery import Suite, discover
from runner.evals.text_files import read_grader_text
from runner.evals.typescript_suites import name_suite
from runner.toolchain import PROTOCOL

_DIGITS = 12
_TOOLS = "tools.json"
_MARKS = TypeAdapter(dict[EvalName, Digest])


def read_tool_marks(suite: Suite) -> dict[str, str]:
    """Return the digests in ``tools.json`` by eval; empty if there is no such file.

    Raises:
        InvalidEvalError: the file does not hold digests by the names of evals.
    """
    path = suite.root / _TOOLS
    try:
        return _MARKS.validate_json(path.read_bytes(), strict=True)
    except FileNotFoundError:
        return {}
    except ValidationError as error:
        raise InvalidEvalError(f"{path}: {describe_first_problem(error)}") from error


def write_tool_marks(suite: Suite, marks: Mapping[str, str]) -> None:
    """Add digests to ``tools.json``."""
    marks = dict(sorted((read_tool_marks(suite) | dict(marks)).items()))
    write_atomically(suite.root / _TOOLS, json.dumps(marks, indent=2).encode() + b"\n")


def make_benchmark(suite: Suite) -> Benchmark:
    """Return the benchmark version of ``suite``, without writing it.

    Raises:
        InvalidEvalError: a file of the suite cannot be used.
    """
    system_prompt = compute_texts_digest(*frame_nothing(suite))
    guidelines = compute_texts_digest(suite.guidelines)
    evals: dict[str, EvalDigests] = {}
    marks = read_tool_marks(suite)
    for evaluation in suite.evals:
        files = evaluation.collect_grader_files()
        texts = [(path.name, canary.strip_canary(read_grader_text(path))) for path in files]
        evals[evaluation.name] = EvalDigests(
            task=compute_texts_digest(evaluation.task, *filter(None, [render_given(evaluation)])),
            grader=compute_texts_digest(*chain.from_iterable(texts)),
            config=compute_texts_digest(evaluation.config.model_dump_json()),
            tools=marks.get(evaluation.name),
        )
    digest = compute_texts_digest(
        json.dumps(
            {
                "protocol": PROTOCOL,
                "system_prompt": system_prompt,
                "guidelines": guidelines,
                "evals": {name: digests.model_dump() for name, digests in evals.items()},
            },
            sort_keys=True,
        )
    )
    levels = {each.name: each.config.level for each in suite.evals}
    return Benchmark(
        schema_version=1,
        version=digest[:_DIGITS],
        title=f"{format_count(len(evals), 'eval')}, not minted",
        protocol=PROTOCOL,
        digest=digest,
        system_prompt=system_prompt,
        guidelines=guidelines,
        guidelines_tokens=None,
        evals=evals,
        levels=levels if len({*levels.values()}) > 1 else {},
        held_out=tuple(each.name for each in suite.evals if each.config.held_out),
        minted_at=None,
        source=None,
    )


def mint(
    suite: Suite,
    folder: DataFolder,
    *,
    follows: str | None = None,
    toolchain: str | None = None,
) -> Benchmark:
    """Write the version of ``suite`` to ``folder``, so that its runs can be published.

    If the version was minted before, it is returned unchanged. ``follows`` is the version before,
    ``toolchain`` the digest of the tools that judge as this version does.

    Raises:
        InvalidEvalError: a file of the suite cannot be used.
        InvalidRecordError: the version was minted before, and its file is invalid.
    """
    computed = make_benchmark(suite)
    path = folder.benchmarks.get_file(computed.version)
    if path.exists() and (minted := read_benchmark(path)).minted_at is not None:
        return minted
    now = datetime.now(UTC).replace(microsecond=0)
    # The leaderboard may also show other suites, so that the title names the suite.
    name = f"{name_suite(suite.root)} · " if suite.kind.is_of_others else ""
    title = f"{name}{now:%Y-%m} · {format_count(len(computed.evals), 'eval')}"
    facts = {"title": title, "minted_at": now, "follows": follows, "toolchain": toolchain}
    minted = computed.model_copy(update=facts)
    write_record(folder.benchmarks, minted)
    return minted


def find_suite_beside(data: DataFolder) -> Path | None:
    """Return the folder of the suite beside a data folder; None if there is none."""
    root = data.root.absolute().parent / "evals"
    return root if (root / "guidelines.md").is_file() else None


def find_version_beside(data: DataFolder) -> str | None:
    """Return the version of the suite beside a data folder; None if no suite can be read there."""
    root = find_suite_beside(data)
    try:
        return None if root is None else make_benchmark(discover(root)).version
    except InvalidEvalError:
        return None
