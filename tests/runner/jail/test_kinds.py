"""The kinds of jail: the message of each missing kind, and the two kinds beside the default."""

from pathlib import Path

import pytest

from runner.errors import SandboxUnavailableError
from runner.jail import Bind, JailLimits, JailSpec, Kind, open_jail, paths
from runner.jail.kinds import make_docker_command, replace_bind_target
from tests.runner.jail.conftest import Prison

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(
    ("kind", "advice"),
    [("bwrap", "apt-get install bubblewrap"), ("docker", "install Docker")],
)
def test_a_missing_kind_names_the_remedy(
    kind: Kind, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the program that it needs, a jail is refused with the way out."""
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(SandboxUnavailableError, match=advice) as refused:
        open_jail(kind)
    assert "--sandbox" in str(refused.value)


def test_a_silent_engine_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A docker client without an engine behind it is no jail."""
    client = tmp_path / "docker"
    client.write_text("#!/bin/sh\necho 'Cannot connect to the Docker daemon' >&2\nexit 1\n")
    client.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailableError, match="no Docker engine answers"):
        open_jail("docker")


def test_the_command_of_docker() -> None:
    """A container has no network, no rights, a read-only root, and only the folders bound."""
    spec = JailSpec(
        command=(paths.NODE, "-e", "1"),
        binds=(
            Bind(Path("/host/node"), paths.NODE),
            Bind(Path("/host/packages"), paths.NODE_MODULES),
            Bind(Path("/host/scratch"), "/scratch", writable=True),
        ),
        cwd="/scratch",
        env={"A": "b"},
        limits=JailLimits(memory_mb=500, processes=50),
    )
    command = " ".join(make_docker_command(spec, "name"))
    for part in (
        "docker run --rm --interactive --init --name name --network none --read-only",
        "--memory 500m --memory-swap 500m --pids-limit 178",
        "--cap-drop ALL --security-opt no-new-privileges",
        "--volume /host/packages:/node_modules:ro --volume /host/scratch:/scratch:rw --env A=b",
    ):
        assert part in command
    assert command.endswith("node:24-bookworm-slim node -e 1")
    assert "/host/node" not in command


def test_none_uses_the_paths_of_this_machine() -> None:
    """The longest target at the start of a word is replaced by its source, also after ``=``."""
    binds = [Bind(Path("/a"), "/project"), Bind(Path("/b"), "/project/inner")]
    words = ["/project/x", "/project/inner/x", "--path=/project", "/projects", "x"]
    assert [replace_bind_target(word, binds) for word in words] == [
        "/a/x",
        "/b/x",
        "--path=/a",
        "/projects",
        "x",
    ]


def test_none_clears_the_environment(open_field: Prison, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even without a jail no key of ours is inside, and programs have limits."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    done = open_field.run_javascript("console.log(Object.keys(process.env).sort().join())")
    assert done.stdout in {b"LANG,MARK,PATH\n", b"LANG,MARK,PATH,PWD\n"}
    flood = open_field.run_shell("yes")
    assert flood.killed == "output"
    assert open_field.list_survivors() == []


def test_none_ends_processes_that_a_program_leaves_behind(open_field: Prison) -> None:
    """Background processes end with the program that started them."""
    assert open_field.run_shell("sleep 300 & sleep 300 & echo left").stdout == b"left\n"
    assert open_field.list_survivors() == []


def test_none_finds_packages_beside_our_own_programs(open_field: Prison, tmp_path: Path) -> None:
    """A program of ours imports packages as it does where both stand at the root."""
    ours = tmp_path / "ours"
    ours.mkdir()
    (ours / "main.mjs").write_text("import { v } from 'convex/values'; console.log(typeof v.id)")
    spec = JailSpec(
        command=(paths.NODE, f"{paths.HARNESS}/ours/main.mjs"),
        binds=(*open_field.toolchain.list_binds(), Bind(ours, f"{paths.HARNESS}/ours")),
    )
    done = open_field.jail.run(spec)
    assert (done.stdout, done.stderr) == (b"function\n", b"")
