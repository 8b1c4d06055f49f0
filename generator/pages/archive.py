"""Every benchmark version: what it was and where its table stands."""

from generator.contexts.tables import ArchivePage, VersionLine
from generator.pages.boards import Board
from generator.pages.material import Material
from generator.pages.names import frame


def archive_page(material: Material) -> ArchivePage:
    """Gather the list of benchmark versions, newest first."""
    return ArchivePage(
        frame=frame(
            "Benchmark versions",
            "benchmarks/",
            "Every version of the benchmark. Scores are comparable within one version only.",
            "about",
        ),
        versions=[_line(material, board) for board in material.boards.values()],
    )


def _line(material: Material, board: Board) -> VersionLine:
    benchmark = board.benchmark
    runs = [run for run in material.corpus.runs if run.version == board.version]
    return VersionLine(
        version=board.version,
        title=material.titles[board.version],
        href=material.place(board.version),
        evals=len(benchmark.evals),
        runs=len(runs),
        models=len({run.slug for run in runs if not run.baseline}),
        minted=benchmark.minted_at.date() if benchmark.minted_at else None,
        protocol=benchmark.protocol,
        source=benchmark.source,
        guidelines_tokens=benchmark.guidelines_tokens,
        current=board.version == material.front,
    )
