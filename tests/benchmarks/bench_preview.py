"""Time from an edit to the change of a page that is open in a browser: at most 1 s.

Run with ``python -m tests.benchmarks.bench_preview [--rounds N] [--page PATH]``. The records
and copies of templates and suite are served by ``leaderboard serve``; Chromium shows a page, and in
each round the style sheet, then the layout of all pages, is saved anew. The time ends when the open
page has the new style, or holds the new text. Then the folder of an eval is renamed in each round,
and the time ends when the preview answers under the new address: at most 2 s.
"""

import argparse
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, sync_playwright

from tests.support.browsing import find_chromium

ROOT: Final = Path(__file__).parents[2]
COMMAND: Final = Path(sys.executable).with_name("leaderboard")
AIM_S: Final = 1.0
RENAME_AIM_S: Final = 2.0
RENAMED_EVAL: Final = "000-fundamentals/000-dome_functions"
PATIENCE_MS: Final = 120_000
OTHER_PAGE: Final = "/about/"
"""A page that is not open, which is new only after the build of the whole site."""
NEW_STYLE: Final = (
    "round => getComputedStyle(document.body).getPropertyValue('--round').trim() === round"
)
NEW_TEXT: Final = "round => document.body.dataset.round === round"


def main() -> None:
    """Time both edits in each round, and print their medians and slowest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--page", default="/")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-preview-") as workspace:
        root = _copy_folders(Path(workspace))
        with _serve_site(root) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page()
            page.goto(address + options.page)
            page.wait_for_timeout(2000)  # by now the preview waits for changes
            edits = {"style sheet": _change_style, "layout": _change_layout}
            for name, edit in edits.items():
                _report(name, [edit(page, root / "templates", n) for n in range(options.rounds)])
            renames = [_rename_eval(page, root / "evals", n) for n in range(options.rounds)]
            _report("renamed eval", renames, RENAME_AIM_S)
            browser.close()


def _copy_folders(root: Path) -> Path:
    """Copy the folders that may change while they are served."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "site_templates", root / "templates", ignore=ignored)
    shutil.copytree(ROOT / "docs", root / "docs")
    shutil.copytree(ROOT / "evals", root / "evals", ignore=shutil.ignore_patterns("node_modules"))
    (root / "evals" / "node_modules").symlink_to(ROOT / "evals" / "node_modules")
    return root


@contextmanager
def _serve_site(root: Path) -> Generator[str]:
    """Serve the published records with these templates; yield the address."""
    folders = ["--templates", root / "templates", "--evals", root / "evals", "--out", root / "site"]
    command = [COMMAND, "serve", "--port", "0", *map(str, folders)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        if process.stdout is None:
            raise SystemExit("the preview has no output")
        address = next(line for line in process.stdout if line.startswith("http://"))
        try:
            yield address.split("/ ")[0].strip().rstrip("/")
        finally:
            process.send_signal(signal.SIGINT)


def _change_style(page: Page, templates: Path, number: int) -> float:
    sheet, value = templates / "assets" / "site.css", f"style{number}"
    text = sheet.read_text("utf-8") + f"\nbody {{ --round: {value}; }}\n"
    took = _time_change(page, lambda: sheet.write_text(text, "utf-8"), NEW_STYLE, value)
    page.wait_for_timeout(1000)
    return took


def _change_layout(page: Page, templates: Path, number: int) -> float:
    layout = templates / "layout.html"
    start = layout.read_text("utf-8").replace(f'<body data-round="{number - 1}">', "<body>")
    text = start.replace("<body>", f'<body data-round="{number}">')
    took = _time_change(page, lambda: layout.write_text(text, "utf-8"), NEW_TEXT, str(number))
    _wait_until_built(page, f'<body data-round="{number}">')
    return took


def _time_change(page: Page, save: Callable[[], object], arrived: str, expected: str) -> float:
    """Save, wait for the open page to change, and return the time of that."""
    began = time.perf_counter()
    save()
    page.wait_for_function(arrived, arg=expected, timeout=PATIENCE_MS)
    return time.perf_counter() - began


def _wait_until_built(page: Page, expected: str) -> None:
    """Wait until the rest of the site is built too, so that the next round meets no build."""
    origin = page.evaluate("location.origin")
    while expected not in page.request.get(origin + OTHER_PAGE).text():
        page.wait_for_timeout(200)
    page.wait_for_timeout(1000)


def _rename_eval(page: Page, evals: Path, number: int) -> float:
    """Rename an eval, and return the time until the page of its new name is there."""
    names = [RENAMED_EVAL, f"{RENAMED_EVAL}_again"]
    before, after = names[number % 2], names[(number + 1) % 2]
    address = f"{page.evaluate('location.origin')}/evals/{after}/"
    began = time.perf_counter()
    (evals / before).rename(evals / after)
    while not page.request.get(address).ok:
        page.wait_for_timeout(20)
        if time.perf_counter() - began > PATIENCE_MS / 1000:
            raise SystemExit(f"{address} was not there after {PATIENCE_MS / 1000:g} s")
    took = time.perf_counter() - began
    page.wait_for_timeout(3000)  # by now the build of the other pages is over
    return took


def _report(name: str, seconds: list[float], aim_s: float = AIM_S) -> None:
    middle, slowest = statistics.median(seconds), max(seconds)
    aim = "held" if slowest <= aim_s else "missed"
    sys.stdout.write(
        f"{name}: median {middle:.2f} s, slowest {slowest:.2f} s; the aim of {aim_s:g} s is {aim}\n"
    )


if __name__ == "__main__":
    main()
