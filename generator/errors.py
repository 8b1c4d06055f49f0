"""The exceptions of this package: all faults that stop a build, except invalid records."""


class GeneratorError(Exception):
    """The site cannot be built; the message names the file or the field to fix."""


class AbandonedError(GeneratorError):
    """Another thread ended the build, because a newer build follows."""


class SourceChangedError(GeneratorError):
    """A file changed while the site was being built from it."""

    def __str__(self) -> str:
        return f"{self.args[0]}: changed during the build; build again"
