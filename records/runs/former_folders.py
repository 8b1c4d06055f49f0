"""Folders of models with names that Windows and GitHub refuse, as earlier programs wrote them."""

import re
from collections.abc import Iterator
from pathlib import Path

from records.errors import RunInUseError
from records.files.data_folder import JOURNAL, DataFolder
from records.files.name_patterns import MODEL_SLUG
from records.files.slug_paths import encode_slug
from records.journal.journal import is_in_use


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
            if is_in_use(journal):
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
