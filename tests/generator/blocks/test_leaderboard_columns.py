"""Optional columns of the main table: shown where a value is known, else named as unknown."""

from importlib.metadata import version
from pathlib import Path

import pytest
from pydantic import ValidationError

from generator.blocks.leaderboard_columns import (
    COLUMNS,
    AmountCell,
    split_columns,
)
from generator.pages.leaderboard import BOTH, build_table_page
from generator.read.prices import PriceMap, TokenPrice, read_prices
from records.files.data_folder import DataFolder
from records.shapes.registry import DescribedModel, ModelEntry, Price
from tests.generator.contexts import gather_site, render_tree
from tests.records.examples import make_run, with_model, write_runs

pytestmark = pytest.mark.unit

COUNTS = ["refused", "cut_off", "retried", "spoiled"]


def make_amount_row(**amounts: float) -> dict[str, AmountCell]:
    """Return a row in which only these columns have a value."""
    return {
        column.key: AmountCell(amounts.get(column.key), str(amounts.get(column.key)), None)
        for column in COLUMNS
    }


def list_shown_keys(*rows: dict[str, AmountCell]) -> list[str]:
    """Return the keys of the columns of a table with these rows."""
    return [column.key for column in split_columns(rows)[0]]


def test_an_amount_is_shown_where_one_row_knows_it_even_if_it_is_nothing() -> None:
    """0 dollars are a known cost; the other columns are named as unknown."""
    rows = make_amount_row(cost=0.0), make_amount_row()
    assert list_shown_keys(*rows) == ["cost"]
    missed = [
        column.name_if_empty for column in COLUMNS if column.name_if_empty and column.key != "cost"
    ]
    assert split_columns(rows)[1] == missed


def test_a_count_is_shown_where_it_is_not_0_and_is_never_named_as_unknown() -> None:
    """A column of zeros has no more information than no column."""
    nothing = dict.fromkeys(COUNTS, 0.0)
    assert list_shown_keys(make_amount_row(**nothing), make_amount_row()) == []
    assert list_shown_keys(make_amount_row(**nothing | {"retried": 2.0}), make_amount_row()) == [
        "retried"
    ]
    assert len(split_columns([make_amount_row(**nothing)])[1]) == sum(
        bool(column.name_if_empty) for column in COLUMNS
    )


def test_columns_stand_in_one_order_and_have_keys_of_their_own() -> None:
    """The order holds for any known values, since addresses name columns by their keys."""
    every = make_amount_row(**dict.fromkeys((column.key for column in COLUMNS), 1.0))
    assert list_shown_keys(every) == [column.key for column in COLUMNS]
    assert len({column.key for column in COLUMNS}) == len(COLUMNS)
    assert list_shown_keys() == []


def test_prices_are_those_of_the_installed_map_or_of_the_registry() -> None:
    """Prices are per million tokens; a model that only records name has none, without a guess."""
    map_ = PriceMap(
        "1.2.3",
        {
            "maker/a": {"input_cost_per_token": 2.5e-06, "output_cost_per_token": 1e-05},
            "b": {"litellm_provider": "maker", "input_cost_per_token": 1e-06},
            "c": {
                "litellm_provider": "other",
                "input_cost_per_token": 1,
                "output_cost_per_token": 1,
            },
        },
    )
    assert map_.find_price(make_entry("maker/a")) == TokenPrice(2.5, 10.0)
    assert map_.find_price(make_entry("maker/b")) is None
    assert map_.find_price(make_entry("maker/c")) is None
    own = make_entry("maker/a").model_copy(update={"price": Price(input=1.0, output=0.0)})
    assert map_.find_price(own) == TokenPrice(1.0, 0.0)
    assert map_.find_price(DescribedModel(slug="maker/a", name="A", provider="Maker")) is None
    assert map_.find_price(None) is None
    assert len(read_prices().models) > 1000
    assert read_prices().version == version("litellm")


def make_entry(litellm_id: str) -> ModelEntry:
    """Return a model that litellm knows by this name."""
    return ModelEntry(slug="maker/model", name="Model", provider="Maker", litellm_id=litellm_id)


@pytest.mark.parametrize(
    "fields", [{"weights": "open"}, {"weights_source": "https://maker.example/"}]
)
def test_weights_are_reported_with_a_source_only(fields: dict[str, str]) -> None:
    """Weights and their source need each other."""
    with pytest.raises(ValidationError, match="weights_source"):
        DescribedModel.model_validate(
            {"slug": "maker/model", "name": "Model", "provider": "Maker", **fields}
        )


def test_facts_stand_in_the_table_with_their_sources(tmp_path: Path) -> None:
    """The day, weights and effort of the described model; the other model has empty cells."""
    runs = [
        with_model(
            make_run(letter * 32), slug=f"maker/{letter}", name=letter, parameters=parameters
        )
        for letter, parameters in (("a", {"reasoning_effort": "high"}), ("b", {}))
    ]
    data = write_runs(DataFolder(tmp_path), *runs)
    page = "https://maker.example/a"
    data.models_file.write_text(
        "schema_version = 1\n[[models]]\n"
        'slug = "maker/a"\nname = "a"\nprovider = "Maker"\nlitellm_id = "nobody/knows"\n'
        f'released = 2026-10-01\nsource = "{page}"\nweights = "open"\nweights_source = "{page}/w"\n'
        "price = { input = 0.5, output = 12.5 }\n"
    )
    site = gather_site(data)
    table = build_table_page(site, site.leaderboards[runs[0].benchmark_version], BOTH)
    facts = ("released", "weights", "effort", "price_in", "price_out")
    heads = {column.key: column for column in table.amounts if column.key in facts}
    assert tuple(heads) == facts
    assert all(column.hidden for column in heads.values())
    head = render_tree(table).css_first("th[data-key=price_in]")
    assert head is not None
    assert f"litellm {read_prices().version}." in (head.attributes["title"] or "")
    cells = {slug: [row[key] for key in facts] for slug, row in table.cells.items()}
    assert [cell.text for cell in cells["maker/a"]] == [
        *("2026-10-01", "open weights", "high", "$0.50", "$12.50"),
    ]
    assert [cell.href for cell in cells["maker/a"]] == [page, f"{page}/w", None, None, None]
    assert [cell.value for cell in cells["maker/b"]] == [None] * len(facts)
