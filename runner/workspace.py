"""The folders of an attempt: the model's files, and the files that grading writes."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from records.suites.given_app import ANSWER
from runner.errors import WorkspaceError
from runner.jail import Bind, paths
from runner.jail.folders import get_temporary_folder, hold


@dataclass(frozen=True, slots=True)
class Workspace:
    """A temporary folder with ``project/`` (the model's files) and ``scratch/`` (other files).

    Jails can write only to ``scratch/``, which gets sockets and build output.
    """

    root: Path

    @property
    def project(self) -> Path:
        """The folder of the model's files."""
        return self.root / "project"

    @property
    def scratch(self) -> Path:
        """The folder that jailed programs may write to."""
        return self.root / "scratch"

    @property
    def apps(self) -> Path:
        """The folder of the apps that a grader deploys before the answer; missing without them."""
        return self.root / "apps"

    def list_binds(self) -> tuple[Bind, ...]:
        """Return the binds of the project and apps (read-only) and scratch (writable)."""
        apps = (Bind(self.apps, paths.APPS),) if self.list_apps() else ()
        scratch = Bind(self.scratch, paths.SCRATCH, writable=True)
        return Bind(self.project, paths.PROJECT), *apps, scratch

    def list_apps(self) -> list[Path]:
        """Return the folders of the apps that a grader deploys before the answer."""
        return sorted(self.apps.iterdir()) if self.apps.is_dir() else []

    def write(self, files: Mapping[str, str]) -> None:
        """Write the texts of ``files`` into the project, at paths with forward slashes.

        Raises:
            WorkspaceError: a path is not relative, leaves the project, or needs a folder that
                another path has as a file.
        """
        self.write_apps({ANSWER: files})

    def write_apps(self, apps: Mapping[str, Mapping[str, str]]) -> None:
        """Write the answer into the project, and each other app into ``apps/`` by its name.

        Raises:
            WorkspaceError: as `write` does.
        """
        for name, files in apps.items():
            folder = self.project if name == ANSWER else self.apps / name
            for path, text in files.items():
                parts = path.split("/")
                if path.startswith("/") or "\0" in path or "\\" in path:
                    raise WorkspaceError(f"{path!r}: a path must be relative, with forward slashes")
                if any(part in {"", ".", ".."} for part in parts):
                    raise WorkspaceError(f"{path!r}: a path must not leave the project")
                target = folder.joinpath(*parts)
                try:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_text(text, "utf-8", newline="")
                except (FileExistsError, NotADirectoryError, IsADirectoryError):
                    raise WorkspaceError(
                        f"{path}: a file stands where another path needs a folder"
                    ) from None
                except (OSError, ValueError) as error:
                    reason = error.strerror if isinstance(error, OSError) else str(error)
                    raise WorkspaceError(f"{path}: cannot be written: {reason}") from error

    def hide_paths(self, text: str) -> str:
        """Return ``text`` with paths relative to the project instead of paths of this machine.

        Programs outside a jail print the paths of this machine; jailed programs print /project
        and /scratch.
        """
        for path, shown in (
            (f"{self.project}/", ""),
            (str(self.project), "project"),
            (str(self.scratch), "scratch"),
            (str(self.root), ""),
            (f"{paths.PROJECT}/", ""),
        ):
            text = text.replace(path, shown)
        return text


@contextmanager
def create_workspace(parent: Path | None = None) -> Generator[Workspace, None, None]:
    """Create the folders of an attempt, and remove them with their content at the end.

    They are created in ``parent``, else in ``OUTPUT_TEMPDIR``, else in the system's temporary
    folder. Folders that killed runners left there are removed.

    Raises:
        WorkspaceError: the folders cannot be created.
    """
    base_folder = parent or get_temporary_folder()
    try:
        base_folder.mkdir(parents=True, exist_ok=True)
        held = hold("attempt", base_folder)
    except OSError as error:
        raise WorkspaceError(
            f"OUTPUT_TEMPDIR: no workspace can be created in {base_folder}: {error.strerror}"
        ) from error
    workspace = Workspace(held.path)
    try:
        workspace.project.mkdir()
        workspace.scratch.mkdir()
        # Mode 0777: the jail's uid is not ours. Other users cannot reach the folder: its root has
        # mode 0700.
        workspace.scratch.chmod(0o777)
        yield workspace
    finally:
        held.remove()
