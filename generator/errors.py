"""What can stop a build: the tree of errors of this package."""


class GeneratorError(Exception):
    """The site cannot be built; the message names the file or the field to fix."""


class SiteSettingsError(GeneratorError):
    """site_templates/site.toml is missing or does not say what it must."""


class OutputFolderError(GeneratorError):
    """The output is no folder, is somebody else's, or cannot be written to."""


class ClashError(GeneratorError):
    """Two records want a page at the same place."""
