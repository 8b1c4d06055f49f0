"""Results of lm-evaluation-harness: `results_DATE.json`, and `samples_TASK_DATE.jsonl` of each.

The first describes the model, the others have a row for each document and filter (`--log_samples`).
They belong together by the date in their names. A document is known by its hash: its number depends
on the order of the data.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from records.foreign.fields import as_fields
from records.foreign.files import FilePart, ForeignFile
from records.shapes.attempt import Outcome
from records.shapes.base import LARGEST_AMOUNT
from records.suites.benchmark import compute_texts_digest
from records.suites.result_formats import ResultFormat
from runner.published_results import board_results
from runner.published_results.board_import import ReadBoard
from runner.published_results.board_records import name_tasks

_BEGINNING, _ENDING = "results_", ".json"
_PARAMETERS = ("temperature", "top_p", "top_k", "max_gen_toks", "do_sample")
_KNOWN = frozenset(
    {
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
        *("doc_hash", "prompt_hash", "target_hash"),
    }
)
"""Fields of a row that are no scores."""
_HASH_LETTERS = 12


def recognises(file: ForeignFile) -> bool:
    """Return whether a file is a description of results, or samples of a task."""
    if {"results", "n-samples", "configs"} <= file.fields.keys():
        return True
    return {"doc_id", "doc_hash", "filtered_resps"} <= file.first_line.keys()


def read(files: Sequence[ForeignFile], choices: board_results.ResultChoices) -> Iterator[ReadBoard]:
    """Yield the results of each results file, with the samples that the files have of it.

    Raises:
        InvalidRecordError: samples are missing or belong to no results file, or a field is missing
            or wrong.
    """
    described = [file for file in files if "n-samples" in file.fields]
    samples = [file for file in files if "n-samples" not in file.fields]
    used: set[str] = set()
    done: set[frozenset[str]] = set()
    for file in described:
        if not file.path.name.startswith(_BEGINNING):
            reason = "its name must be results_DATE.json: samples are found by the date"
            raise file.make_error("", reason)
        stamp = file.path.name.removeprefix(_BEGINNING).removesuffix(_ENDING)
        own: dict[str, ForeignFile] = {}
        for task in file.root.require_part("n-samples").fields:
            # The file of this name beside the results, or the only one.
            name, folder = f"samples_{task}_{stamp}.jsonl", file.path.absolute().parent
            named_files = [each for each in samples if each.path.name == name]
            beside = [each for each in named_files if each.path.absolute().parent == folder]
            if not named_files:
                reason = f"name {name} too, which --log_samples writes"
                raise file.make_error(
                    f"n-samples.{task}", f"its samples are not among the files: {reason}"
                )
            if not beside and len({each.digest for each in named_files}) > 1:
                raise file.make_error(
                    f"n-samples.{task}",
                    f"several files are named {name}: put that of these results beside them",
                )
            own[task] = (beside or named_files)[0]
        used |= {each.digest for each in own.values()}
        digests = frozenset({file.digest, *(each.digest for each in own.values())})
        if digests not in done:
            done.add(digests)
            tasks = {task: _read_task(file, task, rows, choices) for task, rows in own.items()}
            scores = sorted({score for score, _ in tasks.values()})
            if choices.score is not None and choices.score not in scores:
                raise file.make_error("results", f"no task has a score {choices.score!r}")
            results = [
                each
                for task, (score, rows) in tasks.items()
                for each in _read_rows(file, task, score, rows, choices)
            ]
            board = board_results.make_board_results(
                file,
                choices,
                format=ResultFormat.LM_EVAL,
                tool=file.shorten(f"lm-eval {file.fields.get('lm_eval_version') or ''}", 100),
                name=name_tasks(own),
                score=file.shorten(" and ".join(scores), 150),
                runs=(_make_run(file, results),),
            )
            yield ReadBoard(file.path, board)
    for file in samples:
        if file.digest not in used:
            raise file.make_error(
                "", "belongs to no results_DATE.json among the files: name it too, by its own name"
            )


def _read_task(
    file: ForeignFile, task: str, samples: ForeignFile, choices: board_results.ResultChoices
) -> tuple[str, list[FilePart]]:
    """Return the score that decides, and its rows; a task with one score keeps that score."""
    by_score: dict[str, list[FilePart]] = {}
    for row in samples.read_lines():
        metrics = [name for name in row.fields if name not in _KNOWN]
        if row.get("metrics") is not None:
            metrics = list(map(str, row.require_list("metrics")))
        through = row.get("filter")  # the harness names a score ``metric,filter``
        for metric in metrics:
            by_score.setdefault(f"{metric},{through}" if through else metric, []).append(row)
    names = list(by_score)
    choice = board_results.ResultChoices() if len(names) == 1 else choices
    score = choice.choose_score(samples.path, names, task)
    numbers = file.root.require_part("n-samples").require_part(task)
    effective, number = numbers.get_count("effective"), len(by_score[score])
    if effective is not None and effective != number:
        raise numbers.make_error("effective", f"is {effective}, the samples are {number}")
    by_metric = file.root.get_part("higher_is_better").get_part(task)
    metric = score.partition(",")[0]
    if by_metric.get(metric) is False:
        raise by_metric.make_error(metric, "is false: no score of it is a pass")
    return score, by_score[score]


def _read_rows(
    file: ForeignFile,
    task: str,
    score: str,
    rows: list[FilePart],
    choices: board_results.ResultChoices,
) -> Iterator[board_results.SampleResult]:
    metric = score.partition(",")[0]
    # The prompt is no part of the content: it has the template of each model's own chat.
    of_task = [file.root.get_part(name).get(task) for name in ("versions", "n-shot")]
    seen = Counter[str]()
    for row in rows:
        identity = row.get_text("doc_hash")
        seen[identity] += 1
        # Documents of the same content are several samples, which nothing but their number parts.
        again = f"-{seen[identity]}" if seen[identity] > 1 else ""
        value = row.get(metric)
        if not isinstance(value, bool | int | float) or not abs(value) <= LARGEST_AMOUNT:
            raise row.make_error(metric, f"{value!r:.60} is no number")
        passed = choices.is_pass(row, metric, float(value))
        yield row.file.validate_facts(
            board_results.SampleResult,
            row.place,
            task=task,
            sample=f"{identity[:_HASH_LETTERS]}{again}",
            label=file.shorten(str(row.get("doc_id")), board_results.LONGEST_NAME),
            content=compute_texts_digest(
                *map(str, (row.get("doc_hash"), row.get("target_hash"), *of_task))
            ),
            outcome=Outcome.PASSED if passed else Outcome.FAILED,
        )


def _make_run(
    file: ForeignFile, results: list[board_results.SampleResult]
) -> board_results.ModelResults:
    config = file.root.require_part("config")
    date = file.fields.get("date")
    settings = as_fields(config.get("gen_kwargs"))
    # Without arguments of a model, the harness draws a name, so its kind counts.
    named = file.fields.get("model_name")
    is_named = config.get("model_args") and isinstance(named, str) and named.strip()
    return file.validate_facts(
        board_results.ModelResults,
        "config",
        model=named if is_named else config.get_text("model"),
        identity="" if date is None else f"{date}",
        parameters={
            name: settings[name]
            for name in _PARAMETERS
            if isinstance(settings.get(name), str | int | float)
        },
        began_at=file.root.get_moment("date"),
        results=tuple(results),
    )
