"""The settings in the `leaderboard.toml` of a project, by which unknown lines are refused."""

from typing import Annotated

from pydantic import Field

from records.shapes.base import Record

FolderPath = Annotated[str, Field(pattern=r"^[^\x00]+$")]


class ProjectSettings(Record):
    """Folders, relative to the file, and the number of graders."""

    data: FolderPath | None = None
    evals: FolderPath | None = None
    templates: FolderPath | None = None
    texts: FolderPath | None = None
    site: FolderPath | None = None
    workspaces: FolderPath | None = None
    graders: Annotated[int, Field(strict=True, ge=1, le=64)] | None = None
