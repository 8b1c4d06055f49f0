"""The exceptions of this package: all faults that stop a build, except invalid records."""


class GeneratorError(Exception):
    """The site cannot be built; the message names the file or the field to fix."""


class SiteSettingsError(GeneratorError):
    """site_templates/site.toml is missing or lacks a setting."""


class TemplateError(GeneratorError):
    """A template cannot be read or rendered; the message names its file and line."""


class OutputFolderError(GeneratorError):
    """The output is no folder, was not made by a build, or cannot be written to."""


class DataFolderError(GeneratorError):
    """The folder given by `--data` is no folder of records."""


class AbandonedError(GeneratorError):
    """Another thread ended the build, because a newer build follows."""


class SourceChangedError(GeneratorError):
    """A file changed while the site was being built from it."""

    def __str__(self) -> str:
        return f"{self.args[0]}: changed during the build; build again"
