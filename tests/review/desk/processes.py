"""`leaderboard serve` as a process that is killed and comes back at its port."""

import re
import subprocess
from dataclasses import dataclass

from tests.leaderboard.commands.test_serve import Project
from tests.support.warm_command import get_installed_program


@dataclass
class KillableServer:
    """The server as a process that can be killed and started again at the same port."""

    project: Project
    port: int = 0
    process: subprocess.Popen[str] | None = None

    def start(self) -> str:
        """Start the server; return the desk's address when it answers."""
        program = get_installed_program("a real server is killed and comes back at its port")
        command = [program, "serve", "--port", str(self.port), *self.project.places]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if listening := re.match(r"http://127\.0\.0\.1:(\d+)/", line):
                self.port = int(listening[1])
                return f"http://127.0.0.1:{self.port}/review/"
        raise AssertionError("the server ended before it listened")

    def kill(self) -> None:
        """End the server by SIGKILL."""
        assert self.process is not None
        self.process.kill()
        self.process.communicate()
