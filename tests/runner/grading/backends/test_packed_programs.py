"""Our Node programs are packed once, and start with the code that was compiled of them."""

import subprocess
from pathlib import Path

import pytest

from runner.grading.backends.packed_programs import programs, start
from runner.grading.toolchain import find_toolchain
from runner.jail import open_jail

ROOT = Path(__file__).parents[4]
# As start.cjs compiles: the kept code is refused when anything about that differs.
LOOK = """
const { readFileSync } = require("node:fs");
const { Script, constants } = require("node:vm");
for (const file of process.argv.slice(1)) {
  const text = readFileSync(file, "latin1");
  const isProgram = file.endsWith(".cjs");
  const whole = `(function (require, module, exports, __dirname) {${text}\\n})`;
  const source = isProgram ? whole : text;
  const script = new Script(source, {
    cachedData: readFileSync(`${file}.code`),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  console.log(script.cachedDataRejected);
}
"""


def test_kept_code_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Node takes the code beside each program, under the options that programs start with."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    toolchain = find_toolchain(ROOT / "evals")
    folder = programs(open_jail("bwrap"), toolchain).source
    assert programs(open_jail("bwrap"), toolchain).source == folder
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert all(path.read_bytes().isascii() for path in folder.glob("*.*js"))
    options = [word for word in start("server.cjs") if word.startswith("--")]
    files = [str(folder / name) for name in ("server.cjs", "renderer.cjs", "vendor.js")]
    looked = subprocess.run(
        [str(toolchain.node), *options, "-e", LOOK, *files],
        capture_output=True,
        text=True,
        check=True,
    )
    assert looked.stdout.split() == ["false"] * 3
