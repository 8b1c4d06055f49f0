"""Coverage of the Node programs: the branches of their sources that ranges of V8 show as taken."""

import json
import re
import shutil
import tempfile
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.jail import Bind, JailSpec, paths
from runner.jail.kinds import open_bubblewrap
from runner.toolchain import find_toolchain
from tests.power.mutation import ROOT, walk_javascript

_EMULATOR = ROOT / "runner" / "emulator"
_UNBUNDLED = {
    "file:///harness/eslint/lint_worker.mjs": "runner/grading/steps/eslint/lint_worker.mjs",
    "file:///harness/vitest/run_suites.mjs": "runner/grading/fixtures/vitest/run_suites.mjs",
}
_PACKED = "/packed"
_BUNDLES = ("server", "inside", "renderer", "window")
_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_CONDITIONS = {"if_statement", "ternary_expression"}
_BODIES = {
    *("arrow_function", "function_declaration", "function_expression", "method_definition"),
    *("for_statement", "for_in_statement", "while_statement"),
}
_CASES = {"switch_case", "switch_default", "catch_clause"}


@dataclass(frozen=True, slots=True)
class Segment:
    """A character of a bundle that stands for a line and column of a source."""

    offset: int
    source: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Branch:
    """The beginning of a function, an arm of a condition, or the body of a loop."""

    path: str
    line: int
    column: int
    last_line: int


class NodeCoverage:
    """The branches of the Node programs, and the tests that take each of them."""

    def __init__(self, tests: Mapping[Branch, frozenset[str]]) -> None:
        """Hold the tests of every branch; those of a branch that is never taken are none."""
        self._tests = tests

    @property
    def branches(self) -> int:
        """Number of branches in the sources."""
        return len(self._tests)

    @property
    def taken(self) -> int:
        """Number of branches that a test takes."""
        return sum(bool(tests) for tests in self._tests.values())

    def find_tests(self, path: str, line: int) -> frozenset[str]:
        """Return the tests that take the smallest branch around a line.

        A line outside of all branches runs when its module starts: in every test of the module.
        """
        of_path = [branch for branch in self._tests if branch.path == path]
        around = [branch for branch in of_path if branch.line <= line <= branch.last_line]
        if around:
            smallest = min(branch.last_line - branch.line for branch in around)
            of_path = [b for b in around if b.last_line - b.line == smallest]
        return frozenset(test for branch in of_path for test in self._tests[branch])


def read_node_coverage(folders: Sequence[Path]) -> NodeCoverage:
    """Read the files that the recorders of all workers wrote below ``folders``."""
    segments = _map_bundles()
    tests: defaultdict[Branch, set[str]] = defaultdict(set)
    branches = _find_branches(segments)
    for file in sorted(file for folder in folders for file in folder.rglob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            try:
                record = json.loads(line)
            except ValueError:  # the process was killed while it wrote
                continue
            url = str(record["url"])
            starts = [start for start, _ in record["ranges"]]
            for offset, branch in branches[url]:
                at = bisect_right(starts, offset) - 1
                if at >= 0 and offset < record["ranges"][at][1]:
                    tests[branch].add(str(record["test"]))
    every = {branch for of_script in branches.values() for _, branch in of_script}
    return NodeCoverage({branch: frozenset(tests[branch]) for branch in every})


def _find_branches(
    segments: Mapping[str, Sequence[Segment]],
) -> defaultdict[str, list[tuple[int, Branch]]]:
    """Return, for each script of V8, the offset of every branch of the sources in it."""
    branches: defaultdict[str, list[tuple[int, Branch]]] = defaultdict(list)
    for url, path in _UNBUNDLED.items():
        source = (ROOT / path).read_bytes()
        for at, branch in list_branches(path, source):
            branches[url].append((len(source[:at].decode()), branch))
    for url, of_bundle in segments.items():
        by_source: defaultdict[str, list[Segment]] = defaultdict(list)
        for segment in of_bundle:
            by_source[segment.source].append(segment)
        for path, of_source in by_source.items():
            of_source.sort(key=lambda segment: (segment.line, segment.column))
            keys = [(segment.line, segment.column) for segment in of_source]
            for _, branch in list_branches(path, (ROOT / path).read_bytes()):
                at = bisect_right(keys, (branch.line, branch.column)) - 1
                # Code without callers, which the bundler dropped, has no segment on its line.
                if at >= 0 and keys[at][0] == branch.line:
                    branches[url].append((of_source[at].offset, branch))
    return branches


def list_branches(path: str, source: bytes) -> Iterator[tuple[int, Branch]]:
    """Yield the byte offset and the position of every branch of a source."""
    for node in walk_javascript(source):
        if node.type in _CONDITIONS:
            arms = [node.child_by_field_name(name) for name in ("consequence", "alternative")]
        elif node.type in _BODIES:
            arms = [node.child_by_field_name("body")]
        elif node.type == "binary_expression" and node.children[1].type in {"&&", "||", "??"}:
            arms = [node.child_by_field_name("right")]
        elif node.type in _CASES:
            arms = node.named_children[-1:]
        else:
            continue
        for arm in arms:
            if arm is None:
                continue
            inner = arm
            # A block's first statement, since the map has no segment for its brace.
            while inner.type in {"statement_block", "else_clause"} and inner.named_children:
                inner = inner.named_children[0]
            point = inner.start_point
            yield inner.start_byte, Branch(path, point.row + 1, point.column, arm.end_point.row + 1)


def _map_bundles() -> dict[str, list[Segment]]:
    """Bundle the Node programs as the product does, with source maps; return those, by script.

    A bundle holds the paths of its sources, which are the same in every jail.
    """
    toolchain = find_toolchain(ROOT / "evals")
    with tempfile.TemporaryDirectory() as made:
        sources, out = Path(made, "emulator"), Path(made, "out")
        shutil.copytree(_EMULATOR, sources)
        out.mkdir()
        for folder in (Path(made), out):
            folder.chmod(0o777)
        packing = sources / "pack.mjs"
        text = packing.read_text("utf-8")
        with_maps = text.replace("bundle: true,", 'bundle: true, sourcemap: "external",', 1)
        assert with_maps != text, "pack.mjs has no `bundle: true,`"
        packing.write_text(with_maps, "utf-8")
        packed = open_bubblewrap().run(
            JailSpec(
                command=(paths.NODE, f"{paths.HARNESS}/emulator/pack.mjs", _PACKED),
                binds=(
                    *toolchain.list_binds(),
                    Bind(sources, f"{paths.HARNESS}/emulator"),
                    Bind(out, _PACKED, writable=True),
                ),
            )
        )
        assert packed.returncode == 0, packed.stderr.decode()
        return {
            f"file://{paths.HARNESS}/programs/{name}.cjs": list(_read_map(out / f"{name}.cjs"))
            for name in _BUNDLES
        }


def _read_map(bundle: Path) -> Iterator[Segment]:
    """Yield the segments of a bundle's source map that lead to our sources."""
    mapping = json.loads(bundle.with_name(f"{bundle.name}.map").read_text("utf-8"))
    paths = [_find_path(source) for source in mapping["sources"]]
    offsets = [0]
    for text in bundle.read_bytes().decode().split("\n"):
        offsets.append(offsets[-1] + len(text.encode("utf-16-le")) // 2 + 1)
    source = line = column = 0
    for row, encoded in enumerate(mapping["mappings"].split(";")):
        at = 0
        for fields in re.findall(r"[^,]+", encoded):
            numbers = decode_vlq(fields)
            at += numbers[0]
            if len(numbers) < len(("at", "source", "line", "column")):
                continue
            source, line, column = source + numbers[1], line + numbers[2], column + numbers[3]
            path = paths[source]
            if path is not None:
                yield Segment(offsets[row] + at, path, line + 1, column)


def _find_path(source: str) -> str | None:
    """Return the path of our source that a source map names; None for a package's."""
    _, _, inside = source.rpartition("emulator/")
    path = _EMULATOR / inside
    return path.relative_to(ROOT).as_posix() if path.suffix == ".mjs" and path.is_file() else None


def decode_vlq(fields: str) -> list[int]:
    """Decode base64 VLQ numbers, as source maps write them (ECMA-426)."""
    numbers: list[int] = []
    value = shift = 0
    for character in fields:
        digit = _DIGITS.index(character)
        value |= (digit & 31) << shift
        shift += 5
        if digit < 32:
            numbers.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return numbers
