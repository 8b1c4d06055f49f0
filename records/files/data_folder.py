"""Paths of all files in ``data/``, and folders of models with former names.

Some paths, here and on the site, are called by the slugs of models. A slug may hold a colon, end in
a dot or be called as a device, which Windows and artifacts of GitHub refuse in file names. Slugs
have no tilde, so different slugs have different paths, also where capitals do not count.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Self

from records.errors import AmbiguousRunError, MissingRecordError, RunInUseError
from records.files.name_patterns import (
    AUDIT_ID,
    BENCHMARK_ID,
    DATASET_NAME,
    MODEL_SLUG,
    RUN_ID,
    SESSION_ID,
)
from records.files.plain_files import is_locked

RECORD = ".json"
JOURNAL = ".journal.jsonl"
DAMAGED = ".damaged"
ARCHIVE = ".zip"
REPORT = ".md"
LABELS = ".labels.jsonl"
JUDGEMENTS = ".judgements.jsonl"
KEYS = "keys.json"
_OF_RUN = (RECORD, JOURNAL, ARCHIVE)
"""The endings of the files of a run."""
KINDS = (
    "benchmarks",
    "runs",
    "artifacts",
    "reports",
    "suites",
    "trials",
    "sessions",
    "audits",
    "comparisons",
    "datasets",
    "opinions",
    "imports",
    "local",
)
"""The folders of a data folder."""
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|\Z)")
"""The beginning of a name that means a device on Windows, whatever its ending is."""
_ESCAPED = re.compile(r"\A~(.*)~\Z", re.DOTALL)


def encode_slug(slug: str) -> str:
    """Return the path of a slug: two file names without a sign that Windows or GitHub refuse.

    A tilde stands for a colon. A name between tildes would end in a dot, or mean a device.
    """
    return "/".join(map(escape_name, slug.split("/")))


def escape_name(name: str) -> str:
    """Return the file name for a part of a slug, or for another name of the same letters."""
    escaped = name.replace(":", "~")
    is_refused = name.endswith(".") or _DEVICE.match(escaped) is not None
    return f"~{escaped}~" if is_refused else escaped


def decode_slug(path: str) -> str:
    """Return the slug of a path; that of a former path, which had the slug's own letters, too."""
    return "/".join(_ESCAPED.sub(r"\1", name).replace("~", ":") for name in path.split("/"))


@dataclass(frozen=True, slots=True)
class RecordFiles:
    """The files of one kind of record, each called by the name that its record has.

    In the class of data folders, ``folder`` is relative to the root; as an attribute of one of them
    it is absolute.
    """

    folder: Path
    pattern: str
    """The form of the names; another name raises ValueError, because it could leave the folder."""
    field: str
    """The field of a record with its name; empty for logs."""
    suffix: str = RECORD

    def __get__(self, data: "DataFolder", _: object) -> Self:
        """Return the files of a data folder."""
        return replace(self, folder=data.root / self.folder)

    def get_file(self, name: str) -> Path:
        """Return the path of the record called ``name``."""
        return self.folder / f"{escape_name(_check_name(self.pattern, name))}{self.suffix}"

    def list_files(self) -> Iterator[Path]:
        """Yield the files, sorted by name."""
        return _list_files(self.folder, 0, self.suffix)

    def find_file(self, beginning: str) -> Path:
        """Return the path of the record whose name begins with ``beginning``.

        Raises:
            MissingRecordError: there is none.
            AmbiguousRunError: there are several.
        """
        kind, root = self.folder.name.removesuffix("s"), self.folder.parent
        matches = [
            path for path in self.list_files() if beginning and path.name.startswith(beginning)
        ]
        if not matches:
            raise MissingRecordError(f"{root}: no {kind} whose id begins with {beginning!r}")
        matches = [path for path in matches if path.stem == beginning] or matches
        if len(matches) > 1:
            names = ", ".join(path.stem for path in matches)
            raise AmbiguousRunError(f"{root}: {beginning!r} begins several {kind}s: {names}")
        return matches[0]


@dataclass(frozen=True, slots=True)
class DataFolder:
    """A data folder at ``root``. It need not exist, because the first writer makes it.

    Every method that takes a name raises ValueError if the path could leave its folder.
    """

    root: Path

    benchmarks = RecordFiles(Path("benchmarks"), BENCHMARK_ID, "version")
    """The definitions of benchmark versions."""
    suites = RecordFiles(Path("suites"), BENCHMARK_ID, "version")
    """The texts of benchmark versions whose suites are kept elsewhere."""
    trials = RecordFiles(Path("trials"), RUN_ID, "trial_id")
    """The trials of the guidelines."""
    sessions = RecordFiles(Path("sessions"), SESSION_ID, "id")
    """The sessions in this folder itself: published copies; in `local`, raw sessions."""
    labels = RecordFiles(Path("sessions"), SESSION_ID, "", LABELS)
    """The label logs beside the sessions in this folder itself."""
    audits = RecordFiles(Path("audits"), AUDIT_ID, "audit_id")
    """The records of audits."""
    comparisons = RecordFiles(Path("comparisons"), RUN_ID, "comparison_id")
    """The comparisons of models on sessions."""
    judgements = RecordFiles(Path("comparisons"), RUN_ID, "", JUDGEMENTS)
    """The logs of judgements of comparisons, beside their records."""
    datasets = RecordFiles(Path("datasets"), DATASET_NAME, "name")
    """The versions of datasets."""
    opinions = RecordFiles(Path("opinions"), RUN_ID, "opinions_id")
    """The opinions of models on sessions."""

    def __str__(self) -> str:
        """Return the path."""
        return str(self.root)

    def describe_misfit(self) -> str | None:
        """Return why this folder cannot be a data folder; None if it can, also if it is empty."""
        try:
            names = {path.name for path in self.root.iterdir() if not path.name.startswith(".")}
        except FileNotFoundError:
            return "there is no such folder"
        except NotADirectoryError:
            return "is no folder"
        wrong = [kind for kind in KINDS if kind in names and not (self.root / kind).is_dir()]
        if wrong:
            return f"{wrong[0]} must be a folder"
        if names and not names & {*KINDS, self.models_file.name}:
            return "holds nothing that a data folder does: models.toml, runs/, benchmarks/, ..."
        return None

    @property
    def local(self) -> "DataFolder":
        """The same tree for development runs, which git ignores."""
        return DataFolder(self.root / "local")

    @property
    def models_file(self) -> Path:
        """The registry of models."""
        return self.root / "models.toml"

    @property
    def keys_file(self) -> Path:
        """The keys of the API, in a part that git ignores."""
        return self.local.root / KEYS

    @property
    def cache(self) -> Path:
        """Files that are computed from records and may be deleted, in a part that git ignores."""
        return self.local.root / "cache"

    @property
    def bulk_changes(self) -> Path:
        """Changes of many sessions at once, in a part that git ignores."""
        return self.local.root / "bulk"

    @property
    def locks(self) -> Path:
        """Locks of writers of sessions, in a part that git ignores."""
        return self.local.root / "locks"

    @property
    def inbox(self) -> Path:
        """Runs that are being received through the API, in a part that git ignores."""
        return self.local.root / "inbox"

    @property
    def imports(self) -> Path:
        """Copies of others' publications, as they were read."""
        return self.root / "imports"

    def get_run_file(self, slug: str, run_id: str) -> Path:
        """Return the path of the record of a run."""
        return self._get_run_path("runs", slug, run_id, RECORD)

    def get_journal_file(self, slug: str, run_id: str) -> Path:
        """Return the path of the journal of a run under way, beside the run's record."""
        return self._get_run_path("runs", slug, run_id, JOURNAL)

    def get_artifact_file(self, slug: str, run_id: str) -> Path:
        """Return the path of the archive of a run's answers."""
        return self._get_run_path("artifacts", slug, run_id, ARCHIVE)

    def get_report_folder(self, slug: str) -> Path:
        """Return the folder of the reports on a model's runs."""
        return self._get_model_folder("reports", slug)

    def get_report_file(self, slug: str, run_id: str, day: date) -> Path:
        """Return the path of the report of ``day`` on a run."""
        return (
            self.get_report_folder(slug)
            / f"{_check_name(RUN_ID, run_id)[:8]}_{day.isoformat()}{REPORT}"
        )

    def get_session_file(self, session_id: str) -> Path:
        """Return the path of the raw session, or of its published copy if only that exists."""
        raw, published = (
            self.local.sessions.get_file(session_id),
            self.sessions.get_file(session_id),
        )
        return published if published.exists() and not raw.exists() else raw

    def get_label_file(self, session_id: str) -> Path:
        """Return the path of the label log of a session, which depends on its publication."""
        is_published = self.sessions.get_file(session_id).exists()
        return (self if is_published else self.local).labels.get_file(session_id)

    def list_run_files(self) -> Iterator[Path]:
        """Yield the records of runs, sorted by model, then id."""
        return _list_files(self.root / "runs", 2, RECORD)

    def list_model_run_files(self, slug: str) -> Iterator[Path]:
        """Yield the records of the runs of one model, sorted by id."""
        folders = (self._get_model_folder("runs", slug), self._get_former_folder("runs", slug))
        files = [path for folder in {*folders} for path in _list_files(folder, 0, RECORD)]
        return iter(sorted(files, key=lambda path: path.name))

    def list_journal_files(self) -> Iterator[Path]:
        """Yield the journals of runs that are under way or were interrupted, sorted."""
        return _list_files(self.root / "runs", 2, JOURNAL)

    def list_damaged_files(self) -> Iterator[Path]:
        """Yield the files that `leaderboard check --repair` set aside, sorted."""
        return _list_files(self.root / "runs", 2, DAMAGED)

    def list_artifact_files(self) -> Iterator[Path]:
        """Yield the archives of runs, sorted by model, then id."""
        return _list_files(self.root / "artifacts", 2, ARCHIVE)

    def list_report_files(self) -> Iterator[Path]:
        """Yield the reports, sorted by model, then name."""
        return _list_files(self.root / "reports", 2, REPORT)

    def list_session_files(self) -> Iterator[Path]:
        """Yield the path of each session once, as `get_session_file` has it, sorted by id."""
        paths = (*self.sessions.list_files(), *self.local.sessions.list_files())
        files = {path.name: path for path in paths}
        return iter(sorted(files.values(), key=lambda path: path.name))

    def _get_model_folder(self, kind: str, slug: str) -> Path:
        return self.root / kind / encode_slug(_check_name(MODEL_SLUG, slug))

    def _get_former_folder(self, kind: str, slug: str) -> Path:
        """Return the folder that a model had before slugs were escaped in paths."""
        return self.root / kind / _check_name(MODEL_SLUG, slug)

    def _get_run_path(self, kind: str, slug: str, run_id: str, suffix: str) -> Path:
        """Return the path of a file of a run; files of one run stay in one folder."""
        name = _check_name(RUN_ID, run_id)
        folder, former = self._get_model_folder(kind, slug), self._get_former_folder(kind, slug)
        if former != folder and any((former / f"{name}{end}").exists() for end in _OF_RUN):
            folder = former
        return folder / f"{name}{suffix}"


def list_run_paths(kind: str, slug: str, name: str) -> tuple[str, str]:
    """Return the present and the former path of a file of a run below a data folder."""
    return f"{kind}/{encode_slug(slug)}/{name}", f"{kind}/{slug}/{name}"


def get_model_slug(path: Path) -> str:
    """Return the slug of the model of a run or a report, by the folders of the file's ``path``."""
    return decode_slug(f"{path.parent.parent.name}/{path.parent.name}")


def _check_name(pattern: str, name: str) -> str:
    if re.fullmatch(pattern, name) is None:
        raise ValueError(f"{name!r} is not of the form {pattern}")
    return name


def _list_files(folder: Path, depth: int, suffix: str) -> Iterator[Path]:
    """Yield the files with ``suffix`` that are ``depth`` folders down, without hidden files."""
    try:
        entries = sorted(folder.iterdir(), key=lambda path: path.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if depth:
            yield from _list_files(entry, depth - 1, suffix)
        elif entry.name.endswith(suffix):
            yield entry


def list_former_folders(folder: DataFolder) -> Iterator[tuple[Path, Path]]:
    """Yield each folder of a model with a former name, and the folder that it is today."""
    for kind in ("runs", "artifacts", "reports"):
        for path in sorted((folder.root / kind).glob("*/*/")):
            slug = f"{path.parent.name}/{path.name}"
            present = folder.root / kind / encode_slug(slug)
            if present != path and re.fullmatch(MODEL_SLUG, slug) is not None:
                yield path, present


def move_former_folders(folder: DataFolder) -> list[tuple[Path, Path]]:
    """Move the files of former folders to the present ones; return the folders that were moved.

    Raises:
        RunInUseError: a run with a former path is under way; nothing was moved.
        FileExistsError: a file has another beside it in the present folder, and was not moved.
    """
    moves = list(list_former_folders(folder))
    for former, _ in moves:
        for journal in former.glob(f"*{JOURNAL}"):
            if is_locked(journal):
                raise RunInUseError(f"{journal}: the run is under way: wait until it has ended")
    for former, present in moves:
        present.mkdir(parents=True, exist_ok=True)
        for path in sorted(former.iterdir()):
            target = present / path.name
            if target.exists():
                raise FileExistsError(f"{target} exists: compare it with {path}, and delete one")
            path.rename(target)
        former.rmdir()
        if not any(former.parent.iterdir()):
            former.parent.rmdir()
    return moves
