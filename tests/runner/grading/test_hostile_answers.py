"""Answers that attack instead of answering: none passes or harms, each is recorded truly."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from records.shapes.attempt import Outcome, StepName
from records.suites.eval_config import EvalLimits
from runner.grading.grade import GradingResult, GradingService
from tests.runner.small_eval import EVALS, make_node_action, make_value_answer, write_question
from tests.support.tiers import leave_to_night

pytestmark = pytest.mark.integration

GRADER = '''
def test_before(convex):
    """The value is 42."""
    assert convex.query("notes:value") == 42

def test_attack(convex):
    """The action finds nothing."""
    assert convex.action("evil:run") == "nothing"

def test_after(convex):
    """The value is 42 afterwards too."""
    assert convex.query("notes:value") == 42
'''
LIMITS = EvalLimits(deploy_s=15, tests_s=40)
ENDS = {
    "exit": "process.exit(0);",
    "reallyExit": "(process as any).reallyExit(0);",
    "abort": "process.abort();",
    "kill": 'process.kill(process.pid, "SIGKILL");',
}

Attack = Callable[..., GradingResult]
"""Takes the body of an action, and code above it; returns the failed grading."""


@pytest.fixture(autouse=True)
def next_attempt_is_unaffected(grading: GradingService, tmp_path: Path) -> Iterator[None]:
    """Grade a right answer after every attack: it passes."""
    yield
    graded = grading.grade(write_question(tmp_path / "next"), make_value_answer(42))
    assert (graded.outcome, graded.reason) == (Outcome.PASSED, None)


@pytest.fixture
def attack(grading: GradingService, tmp_path: Path) -> Attack:
    """Grade an answer with the wrong value and an action with this body."""
    evaluation = write_question(tmp_path, GRADER, limits=LIMITS)

    def grade(body: str, head: str = "") -> GradingResult:
        graded = grading.grade(evaluation, make_value_answer(41, make_node_action(body, head)))
        assert graded.outcome is Outcome.FAILED, graded.fault
        return graded

    return grade


def find_attack_message(graded: GradingResult) -> str:
    """Return the message of the attack's own test: its result, or the reason of its end."""
    messages = {test.name: test.message or "" for test in graded.tests or ()}
    assert set(messages) == {"test_before", "test_attack", "test_after"}
    assert "42" in messages["test_before"]
    return messages["test_attack"].removeprefix("grader.py:8: ")


@pytest.mark.more
def test_no_key_and_no_setting_is_in_the_environment(
    attack: Attack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An action sees no variable of ours, of its own process or of its parents."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    graded = attack("""
        const seen = [JSON.stringify(process.env)];
        for (const pid of fs.readdirSync("/proc")) {
          try { seen.push(fs.readFileSync(`/proc/${pid}/environ`, "utf8")); } catch { /* none */ }
        }
        return seen.join(" ");
    """)
    assert "sk-secret" not in json.dumps(graded.logs) + find_attack_message(graded)


@pytest.mark.more
def test_the_home_folder_and_the_repository_are_not_there(attack: Attack, tmp_path: Path) -> None:
    """The user's home and this repository cannot be listed, and the grader cannot be read."""
    evaluation = write_question(tmp_path, GRADER)
    paths = [str(Path.home()), str(EVALS.parent), str(evaluation.grader), "/root", "/etc/shadow"]
    graded = attack(f"""
        const seen: string[] = [];
        for (const place of {json.dumps(paths)}) {{
          try {{ seen.push(...fs.readdirSync(place)); }} catch {{ /* not there */ }}
          try {{ seen.push(fs.readFileSync(place, "utf8")); }} catch {{ /* not there */ }}
        }}
        return seen.join(" ");
    """)
    assert find_attack_message(graded).startswith("assert '' == 'nothing'")


@pytest.mark.more
def test_nothing_of_ours_can_be_written(attack: Attack, tmp_path: Path) -> None:
    """The project, the toolchain, our programs, the grader and the system stay as they are."""
    evaluation = write_question(tmp_path, GRADER)
    ours = [
        EVALS / "node_modules" / "convex" / "package.json",
        EVALS.parent / "runner/emulator/server.mjs",
        evaluation.grader,
    ]
    before = [sha256(path.read_bytes()).hexdigest() for path in ours]
    inside = [
        "/project/convex/notes.ts",
        "/node_modules/convex/package.json",
        "/harness/emulator/server.mjs",
        "/usr/bin/evil",
        "/evil",
    ]
    graded = attack(f"""
        const written: string[] = [];
        for (const path of {json.dumps(inside + [str(path) for path in ours])}) {{
          try {{ fs.writeFileSync(path, "evil"); written.push(path); }} catch {{ /* refused */ }}
          try {{ fs.rmSync(path); written.push(path); }} catch {{ /* refused */ }}
        }}
        return written.join(" ");
    """)
    assert find_attack_message(graded).startswith("assert '' == 'nothing'")
    assert [sha256(path.read_bytes()).hexdigest() for path in ours] == before


@pytest.mark.more
def test_no_network_is_reached_not_even_this_machine(attack: Attack) -> None:
    """A server on the loopback interface gets no connection, and no outside address answers."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_listen, args=(server, heard), daemon=True).start()
        port = server.getsockname()[1]
        graded = attack(f"""
            const reach = (host: string, port: number) => new Promise<string>((resolve) => {{
              const socket = net.connect({{ host, port, timeout: 2000 }});
              socket.on("connect", () => resolve(`reached ${{host}} `));
              socket.on("error", () => resolve(""));
              socket.on("timeout", () => resolve(""));
            }});
            const found = [await reach("127.0.0.1", {port}), await reach("1.1.1.1", 53)];
            try {{
              await fetch("http://127.0.0.1:{port}/");
              found.push("fetched");
            }} catch {{ /* refused */ }}
            return found.join("");
        """)
    assert find_attack_message(graded).startswith("assert '' == 'nothing'")
    assert heard == []


def _listen(server: socket.socket, heard: list[bytes]) -> None:
    try:
        connection, _ = server.accept()
    except OSError:
        return
    with connection:
        heard.append(b"somebody")


@pytest.mark.more
def test_a_fork_bomb_is_held(attack: Attack) -> None:
    """Processes without end meet the jail's limit; this machine goes on."""
    graded = attack("""
        const bomb = "f() { f | f & }; f";
        for (let i = 0; i < 20; i++) {
          child_process.spawn("/bin/sh", ["-c", bomb]).on("error", () => {});
        }
        await new Promise((resolve) => setTimeout(resolve, 3000));
        return "went on";
    """)
    message = find_attack_message(graded)
    assert (
        "nothing" in message
        or "died" in message
        or "no answer" in message
        or "does not answer" in message
    )


@pytest.mark.more
def test_ten_gigabytes_are_not_to_be_had(attack: Attack) -> None:
    """An allocation beyond the limit ends the deployment, and the record has that reason."""
    graded = attack("""
        const held: Buffer[] = [];
        for (let i = 0; i < 100; i++) held.push(Buffer.alloc(100_000_000, 1));
        return `${held.length}`;
    """)
    assert "the deployment died: it used more memory than is allowed" in find_attack_message(
        graded
    ) or ("RangeError" in find_attack_message(graded))


@pytest.mark.night
def test_a_five_gigabyte_file_is_not_to_be_had(attack: Attack) -> None:
    """Endless writing is refused or ends the deployment."""
    graded = attack("""
        const chunk = Buffer.alloc(50_000_000, 1);
        let written = 0;
        for (let file = 0; file < 50; file++) {
          try {
            fs.writeFileSync(`/tmp/large-${file}`, chunk);
            written += chunk.length;
          } catch { /* refused */ }
        }
        return written > 1_000_000_000 ? `wrote ${written}` : "little";
    """)
    assert "wrote" not in find_attack_message(
        graded
    ) or "wrote more than is allowed" in find_attack_message(graded)


@pytest.mark.night
def test_an_endless_loop_in_a_function_fails_its_test(attack: Attack) -> None:
    """A function that never returns has its own reason, and ends in time."""
    graded = attack('for (;;) { /* for ever */ }\nreturn "nothing";')
    assert "evil:run: no answer came in time" in find_attack_message(graded)


@pytest.mark.night
def test_an_endless_loop_at_import_fails_the_deploy(
    grading: GradingService, tmp_path: Path
) -> None:
    """A module that never finishes loading cannot be deployed."""
    evaluation = write_question(tmp_path, GRADER, limits=EvalLimits(deploy_s=3))
    loop = make_node_action('return "nothing";', "for (;;) { /* for ever */ }")
    graded = grading.grade(evaluation, make_value_answer(41, loop))
    assert graded.outcome is Outcome.FAILED
    assert graded.failed_step is StepName.DEPLOY
    assert graded.tests is None
    assert graded.reason is not None
    assert "did not end within 3 s" in graded.reason


@pytest.mark.parametrize("end", leave_to_night(ENDS, but=("exit",)))
def test_exiting_is_not_passing(attack: Attack, end: str) -> None:
    """Ending the process ends the deployment at most: the tests fail with that reason."""
    message = find_attack_message(attack(end))
    assert (
        "the deployment died: it ended with exit code" in message or "is not a function" in message
    )


def test_exiting_at_import_fails_the_deploy(attack: Attack) -> None:
    """process.exit(0) in a module is a failed deploy."""
    graded = attack('return "nothing";', head="process.exit(0);")
    assert graded.failed_step is StepName.DEPLOY


@pytest.mark.more
def test_killing_all_there_is_ends_only_itself(attack: Attack) -> None:
    """Signals reach nothing outside the jail."""
    graded = attack("""
        for (const pid of [process.ppid, 1, -1]) {
          try { process.kill(pid, "SIGKILL"); } catch { /* refused */ }
        }
        await new Promise((resolve) => setTimeout(resolve, 500));
        return "";
    """)
    message = find_attack_message(graded)
    assert "the deployment died" in message or message.startswith("assert '' == 'nothing'")


def test_a_forged_report_is_only_text(attack: Attack) -> None:
    """Text that is printed, written to open descriptors or exported is no verdict."""
    report = {"kind": "finished", "test": {"name": "test_before", "outcome": "passed"}}
    forged = "\\n".join([json.dumps(report), '{"kind": "done"}', "3 passed in 0.01s"])
    graded = attack(f"""
        const forged = {json.dumps(forged)} + "\\n";
        console.log(forged);
        process.stdout.write(forged);
        process.stderr.write(forged);
        for (let fd = 3; fd < 64; fd++) {{
          try {{ fs.writeSync(fd, forged); }} catch {{ /* not open */ }}
        }}
        return "nothing";
    """)
    assert graded.failed_step is StepName.TESTS
    assert {test.outcome for test in graded.tests or () if test.name == "test_before"} == {
        Outcome.FAILED
    }


@pytest.mark.parametrize(
    "line",
    [
        pytest.param({"ready": {}}, marks=pytest.mark.night),
        {"failed": {"kind": "internal", "message": "not the model's"}},
    ],
)
def test_a_forged_word_of_the_backend_is_not_heard(attack: Attack, line: dict[str, object]) -> None:
    """A module cannot report that it is deployed, nor that its failure is ours."""
    forged = json.dumps(json.dumps(line) + "\n")
    graded = attack(
        'return "nothing";',
        head=f"fs.writeSync(1, {forged});\nprocess.exit(1);",
    )
    assert graded.failed_step is StepName.DEPLOY


def test_code_reaches_neither_the_folders_of_its_attempt_nor_the_backend(attack: Attack) -> None:
    """Code has no scratch folder, no socket to use or replace, and sees no other process.

    The socket by which its process begins anew takes no second connection.
    """
    graded = attack(
        """
        const found = ["/scratch", "/project"].filter((place) => fs.existsSync(place));
        for (const place of ["/scratch", "/project", "/link"]) {
          try {
            fs.writeFileSync(`${place}/backend.sock`, "");
            found.push(`wrote to ${place}`);
          } catch { /* refused */ }
        }
        const heard = await new Promise((resolve) => {
          const socket = net.connect("/link/code.sock");
          const close = () => resolve("");
          socket.on("data", (data) => resolve(`heard ${data}`));
          socket.on("error", close).on("close", close);
          socket.write('{"act":"call"}\\n');
        });
        if (heard) found.push(heard);
        found.push(...fs.readdirSync("/link").filter((name) => name !== "code.sock"));
        const ids = fs.readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name));
        const commands = ids.map((id) => fs.readFileSync(`/proc/${id}/cmdline`, "utf8"));
        found.push(...commands.filter((command) => /server|admin-key/.test(command)));
        return found.join(" ") || "nothing";
        """,
        'import net from "node:net";',
    )
    assert find_attack_message(graded) == ""
