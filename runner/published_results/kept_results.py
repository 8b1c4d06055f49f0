"""The copies in `data/imports/`: facts of a file that was imported, which can be imported again."""

from pydantic import ValidationError

from records.foreign.files import ForeignFile
from records.reader import build_record_error
from runner.published_results.board_results import KIND, BoardResults
from runner.published_results.result_choices import ResultChoices


def recognises(file: ForeignFile) -> bool:
    """Return whether a file is a copy that an import kept."""
    return file.fields.get("kind") == KIND


def read(file: ForeignFile, choices: ResultChoices) -> BoardResults:
    """Return the results as they were kept: choices of a command change nothing of them.

    Raises:
        InvalidRecordError: the file was changed to something else.
    """
    del choices
    file.document  # noqa: B018 - refuses a file that holds too much
    try:
        return BoardResults.model_validate_json(file.data, strict=True)
    except ValidationError as error:
        raise build_record_error(file.path, error, BoardResults) from error
