"""Hostile programs: none does harm, each end has its true cause, and the next run is unaffected.

A model could write such programs: JavaScript, run by Node in the default jail.
"""

import os
import socket
import time
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from runner.jail import JailLimits
from runner.jail.kernel import processes
from tests.runner.jail.conftest import QUICK, Prison
from tests.support.texts import read_texts

pytestmark = pytest.mark.integration

TEXTS = read_texts(__file__)


@pytest.fixture(autouse=True)
def _unharmed(prison: Prison) -> Generator[None, None, None]:  # pyright: ignore[reportUnusedFunction]
    """Check after each of these tests that none of its processes runs, and the jail still works."""
    yield
    assert prison.list_survivors() == []
    # The files of a test in the folder that both runs share are not the doing of this run.
    after = prison.run_javascript("console.log(6 * 7)", replace(QUICK, disk_mb=1000))
    assert (after.returncode, after.stdout) == (0, b"42\n")


def test_sees_no_environment_of_ours(prison: Prison, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its own environment nor any process it can see holds a variable of ours."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    done = prison.run_javascript(TEXTS["sees_no_environment_of_ours"])
    assert done.returncode == 0
    assert b"canary" not in done.stdout
    assert done.stdout.decode().splitlines()[-1] == "LANG,MARK,PATH,PWD"


def test_sees_no_home_and_no_other_process(prison: Prison) -> None:
    """There is no home folder, no /etc with users, no process but its own, no other folder."""
    done = prison.run_javascript(TEXTS["sees_no_home_and_no_other_process"])
    root, etc, few, user = done.stdout.decode().splitlines()
    assert set(root.split(",")) <= {
        *("bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "node", "node_modules"),
        *("proc", "sbin", "scratch", "tmp", "usr"),
    }
    assert (etc, few, user) == ("ld.so.cache", "true", "true jail")


def test_writes_only_where_it_may(prison: Prison) -> None:
    """Everything but its scratch folder and its own /tmp is read-only."""
    paths = ["/", "/dev", "/dev/pts", "/etc", "/usr", "/usr/bin", "/node_modules/convex", "/proc"]
    done = prison.run_javascript(f"""
        const fs = require("fs");
        for (const place of {paths}) {{
            try {{ fs.writeFileSync(place + "/planted", "x"); console.log("written", place) }}
            catch {{}}
        }}
        for (const place of ["/scratch", "/tmp"]) fs.writeFileSync(place + "/planted", "x");
    """)
    assert (done.returncode, done.stdout) == (0, b"")
    assert (prison.scratch / "planted").read_text() == "x"
    assert not Path("/tmp/planted").exists()  # noqa: S108


def test_cannot_overwrite_the_toolchain(prison: Prison) -> None:
    """The packages and Node itself can be neither changed, removed nor mounted over."""
    manifest = prison.toolchain.node_modules / "convex" / "package.json"
    before = manifest.read_bytes()
    done = prison.run_shell("""
        echo x > /node_modules/convex/package.json; rm -rf /node_modules/convex; rm -f /node
        mount -o remount,rw /node_modules; mount -t tmpfs none /node_modules
        unshare --user --map-root-user --mount true && echo "has namespaces of its own"
        chmod 777 /node /node_modules
    """)
    assert done.stdout == b""
    assert manifest.read_bytes() == before


def test_reaches_no_network(prison: Prison) -> None:
    """Neither a server of this machine nor the outside answers; there is no route to either."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        done = prison.run_javascript(f"""
            const net = require("net");
            for (const [host, port] of [["127.0.0.1", {port}], ["192.0.2.1", 80], ["8.8.8.8", 53]])
                net.connect(port, host).on("error", (error) => console.log(error.code))
                    .on("connect", () => console.log("connected to", host));
            require("dns").lookup("example.com", (error) => console.log(error?.code));
        """)
        with pytest.raises(TimeoutError):
            server.accept()
    error_codes = set(done.stdout.decode().split())
    assert error_codes <= {"ECONNREFUSED", "ENETUNREACH", "EAI_AGAIN", "ENOTFOUND"}
    assert "ECONNREFUSED" in error_codes


def test_a_fork_bomb_is_held(prison: Prison) -> None:
    """Processes past the limit are refused, or end it all; this machine keeps answering."""
    before = len(list(Path("/proc").iterdir()))
    limits = replace(QUICK, wall_s=3)
    done = prison.run_shell("bomb() { bomb | bomb & }; bomb; sleep 60", limits)
    assert b"fork" in done.stderr or done.killed == "processes"
    assert done.killed in {"wall", "processes", None}
    assert len(list(Path("/proc").iterdir())) < before + 200


@pytest.mark.more
@pytest.mark.parametrize(
    "source",
    [
        "const held = []; for (;;) held.push(Buffer.alloc(1e9, 1));",
        "const held = []; for (;;) held.push(new Array(1e6).fill({}));",
        "let text = 'x'; for (;;) text += Buffer.alloc(1e8, text).toString();",
    ],
)
def test_ten_gigabytes_are_not_given(prison: Prison, source: str) -> None:
    """A program that keeps allocating dies early of its own memory, or is killed for it."""
    done = prison.run_javascript(source)
    assert done.returncode != 0
    assert done.killed in {"memory", None}
    assert done.duration_s < 15


def test_one_process_gets_its_share(prison: Prison) -> None:
    """Where a process may hold less than all, it is refused more, and nothing is killed."""
    source = "console.log(Buffer.alloc(3e8, 1).length)"
    assert prison.run_javascript(source).stdout == b"300000000\n"
    done = prison.run_javascript(source, replace(QUICK, process_mb=250))
    assert (done.killed, done.stdout) == (None, b"")
    assert b"RangeError" in done.stderr


@pytest.mark.parametrize("by", ["kernel", "watch"])
def test_memory_is_summed_over_processes(
    prison: Prison, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Children that each stay below the limit are killed for the memory that they hold together."""

    def refuse_group(_limits: JailLimits) -> None:
        """Stand for a machine where no control group may be made."""

    if by == "watch":
        monkeypatch.setattr("runner.jail.kernel.cgroups.create", refuse_group)
    child = "const held = Buffer.alloc(2e8, 1); setInterval(() => held[0], 1000);"
    done = prison.run_javascript(f"""
        for (let i = 0; i < 4; i++)
            require("child_process").spawn("/node", ["-e", {child!r}], {{ stdio: "ignore" }});
        setInterval(() => {{}}, 1000);
    """)
    assert done.killed == "memory"


def test_an_endless_loop_is_ended_by_the_clock(prison: Prison) -> None:
    """A program that never ends is killed when its time is over, with that cause."""
    done = prison.run_javascript("for (;;);", replace(QUICK, wall_s=1))
    assert (done.killed, done.returncode) == ("wall", 137)
    assert 1 <= done.duration_s < 4


@pytest.mark.more
def test_an_endless_loop_is_ended_by_its_cpu_time(prison: Prison) -> None:
    """Time on the processor has a limit of its own, over all processes of the jail."""
    done = prison.run_javascript("for (;;);", replace(QUICK, cpu_s=1))
    assert done.killed == "cpu"


def test_a_large_file_is_not_written(prison: Prison) -> None:
    """A file stops growing at the limit, in the scratch folder and in /tmp."""
    done = prison.run_javascript(TEXTS["a_large_file_is_not_written"])
    assert set(done.stdout.decode().split()) <= {"EFBIG", "ENOSPC"}
    assert (prison.scratch / "large").stat().st_size <= 20_000_000


def test_many_files_do_not_fill_the_disk(prison: Prison) -> None:
    """The program's /tmp is full at its limit; past it in the scratch folder the program ends."""
    fill = 'let n = 0; for (;;) fs.writeFileSync(PLACE + "/" + n++, Buffer.alloc(5e6))'
    done = prison.run_javascript(f"""
        const fs = require("fs");
        try {{ {fill.replace("PLACE", '"/tmp"')} }} catch (error) {{ console.log(error.code) }}
        {fill.replace("PLACE", '"/scratch"').replace("for (;;)", "while (n < 200)")};
        setInterval(() => {{}}, 1000);
    """)
    assert done.stdout == b"ENOSPC\n"
    assert done.killed == "disk"


def test_cannot_kill_its_parent_or_everyone(prison: Prison) -> None:
    """Signals to its parent, to all it can see and to numbers of others end nothing outside."""
    bystander = prison.start("console.log('here'); setInterval(() => {}, 1000)")
    assert bystander.read_line(60) == b"here"
    pids = list(processes.walk_members(bystander.pid))
    outside = prison.run_javascript(f"""
        for (const pid of {pids}) try {{ process.kill(pid, "SIGKILL") }} catch {{}}
    """)
    assert outside.returncode in {0, 137}  # one of the numbers may be its own in here
    done = prison.run_javascript("""
        for (const signal of ["SIGTERM", "SIGKILL"])
            for (const pid of [process.ppid, 1, -1])
                try { process.kill(pid, signal) } catch {}
        console.log("done");
    """)
    shell = prison.run_shell("kill -9 -1; kill -9 1; kill -9 $PPID; kill -9 0")
    assert done.stdout == b"done\n"
    assert shell.returncode == 137
    assert bystander.poll() is None
    bystander.kill()


@pytest.mark.parametrize(("stream", "kept"), [(1, (1_000_000, 0)), (2, (0, 1_000_000))])
def test_a_flood_of_output_is_cut_off(prison: Prison, stream: int, kept: tuple[int, int]) -> None:
    """Output and errors are kept up to the limit, and then the program is killed."""
    done = prison.run_shell(f"yes >&{stream}")
    assert (done.killed, (len(done.stdout), len(done.stderr))) == ("output", kept)


def test_ignoring_signals_does_not_help(prison: Prison) -> None:
    """A program that ignores all signals that it can is killed at once all the same."""
    process = prison.start("""
        for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
        console.log("ready"); setInterval(() => {}, 1000);
    """)
    process.read_line(60)
    began = time.monotonic()
    process.kill()
    assert time.monotonic() - began < 20
    assert process.poll() == 137


def test_orphans_and_daemons_end_with_it(prison: Prison) -> None:
    """Children that were left behind, in sessions of their own, do not outlive the program."""
    done = prison.run_shell("""
        setsid sh -c 'trap "" TERM HUP; sleep 300' & (sleep 300 &)
        setsid setsid sleep 300 & echo left
    """)
    assert (done.returncode, done.stdout) == (0, b"left\n")
    assert done.duration_s < 5


def test_its_exit_status_is_its_own(prison: Prison) -> None:
    """An early exit is reported with its own status, also with a status of success."""
    assert prison.run_javascript("process.exit(0)").returncode == 0
    assert prison.run_javascript("process.exit(7)").returncode == 7
    assert prison.run_javascript("process.kill(process.pid, 'SIGKILL')").returncode == 137


def test_links_lead_nowhere_outside(prison: Prison, tmp_path: Path) -> None:
    """A symbolic link to a path of this machine opens nothing; a hard link cannot be made."""
    secret = tmp_path / "secret"
    secret.write_text("canary")
    done = prison.run_javascript(f"""
        const fs = require("fs");
        fs.symlinkSync("{secret}", "/scratch/link");
        fs.symlinkSync("../../../../../../..{secret}", "/scratch/relative");
        for (const name of ["link", "relative"])
            try {{ console.log(fs.readFileSync("/scratch/" + name, "utf8")) }} catch {{}}
        try {{ fs.linkSync("/node", "/scratch/node"); console.log("linked") }} catch {{}}
    """)
    assert (done.returncode, done.stdout) == (0, b"")


def test_inherits_no_open_file(prison: Prison, tmp_path: Path) -> None:
    """A file that this process holds open, even one marked as inheritable, is not open inside."""
    with (tmp_path / "held").open("w") as held:
        os.set_inheritable(held.fileno(), True)  # noqa: FBT003 - the standard library's signature
        done = prison.run_shell("ls /proc/self/fd | sort -n | tr '\\n' ' '")
    assert done.stdout == b"0 1 2 3 "  # the fourth is the folder that ls itself reads
