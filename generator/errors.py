"""The tree of errors of this package: all that can stop a build."""

from pathlib import Path
from typing import Self


class GeneratorError(Exception):
    """The site cannot be built; the message names the file or the field to fix."""


class SiteSettingsError(GeneratorError):
    """site_templates/site.toml is missing or lacks a setting."""


class TemplateError(GeneratorError):
    """A template cannot be read or rendered; the message names its file and line."""


class OutputFolderError(GeneratorError):
    """The output is no folder, is somebody else's, or cannot be written to."""


class ClashError(GeneratorError):
    """Two records want a page at the same place."""


class FileNameError(GeneratorError):
    """A file of the sources has a name that no page or list could show."""


class DataFolderError(GeneratorError):
    """The path of `--data` is no folder of records."""


class AbandonedError(GeneratorError):
    """The build was asked to end, because a newer build follows."""


class SourceChangedError(GeneratorError):
    """A file changed while the site was being built from it."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: changed during the build; build again")
        self.path = path

    def __reduce__(self) -> tuple[type[Self], tuple[Path]]:
        """Let the error pass from one process to another."""
        return type(self), (self.path,)
