"""Programs in the user's cache: made once, by whoever is first."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from runner.jail import JailSpec, open_jail, paths
from runner.toolchain import MAKING, find_programs, find_toolchain
from tests.runner.small_eval import EVALS

pytestmark = pytest.mark.integration


def test_makers_at_the_same_time_leave_one_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each makes the programs in a folder of its own; the first is kept, and nothing else."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    jail, binds = open_jail("bwrap"), find_toolchain(EVALS).list_binds()
    script = f"setTimeout(() => fs.writeFileSync('{MAKING}/program.js', '42'), 300)"

    making = JailSpec((paths.NODE, "-e", script), binds)

    def find(_number: int) -> Path:
        return find_programs(jail, "programs", making, tmp_path / "sources", "1.0")

    with ThreadPoolExecutor(4) as pool:
        (folder,) = set(pool.map(find, range(4)))
    assert list(folder.parent.iterdir()) == [folder]
    assert (folder / "program.js").read_text() == "42"
