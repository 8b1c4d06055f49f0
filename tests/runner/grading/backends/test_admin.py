"""What a deployment tells and does for those who have its key."""

import httpx
import pytest

from runner.grading.backends.base import Deployment
from runner.grading.backends.client import ADMIN, BackendClient, FunctionError

pytestmark = pytest.mark.integration


def test_documents_are_inserted_past_functions_but_not_past_the_schema(
    client: BackendClient,
) -> None:
    """All are inserted in order, or none where one does not fit."""
    fitting = [{"text": "a", "rank": 1.0}, {"text": "b", "rank": 2.0, "marks": {"x": 1.0}}]
    ids = client.insert("notes", fitting)
    assert [row["_id"] for row in client.documents("notes")] == ids
    with pytest.raises(FunctionError, match="does not match the schema"):
        client.insert("notes", [{"text": "c", "rank": 3.0}, {"text": "d"}])
    assert [row["text"] for row in client.documents("notes")] == ["a", "b"]


def test_a_record_is_validated_by_its_values(client: BackendClient) -> None:
    """Values of another type are refused, in a record too."""
    with pytest.raises(FunctionError, match="does not match the schema"):
        client.insert("notes", [{"text": "a", "rank": 1.0, "marks": {"x": "one"}}])


def test_documents_are_found_and_deleted_by_id(client: BackendClient) -> None:
    """A document is there by its id until it is deleted."""
    (note,) = client.insert("notes", [{"text": "a", "rank": 1.0}])
    found = client.document("notes", note)
    assert found is not None
    assert found["text"] == "a"
    client.delete("notes", [note])
    assert client.document("notes", note) is None


def test_tables_are_listed(client: BackendClient) -> None:
    """Every table of the schema is there."""
    assert {"notes", "samples", "anything"} <= set(client.tables())


def test_functions_are_listed_with_kind_visibility_and_validators(client: BackendClient) -> None:
    """The specification is what `npx convex function-spec` shows."""
    spec = {entry["identifier"]: entry for entry in client.function_spec() if "identifier" in entry}
    add = spec["notes.js:add"]
    assert (add["functionType"], add["visibility"]) == ("Mutation", {"kind": "public"})
    assert add["args"]["value"]["rank"] == {"fieldType": {"type": "number"}, "optional": False}
    assert add["returns"] == {"type": "id", "tableName": "notes"}
    assert spec["notes.js:secret"]["visibility"] == {"kind": "internal"}
    assert spec["hashes.js:sha256"]["functionType"] == "Action"
    routes = [entry for entry in client.function_spec() if entry["functionType"] == "HttpAction"]
    assert {(route["method"], route["path"]) for route in routes} >= {("GET", "/stream/*")}


def test_the_schema_has_its_indexes(client: BackendClient) -> None:
    """Tables, validators and indexes of every kind are told."""
    schema = client.schema()
    assert schema is not None
    tables = {table["tableName"]: table for table in schema["tables"]}
    assert tables["notes"]["indexes"][0]["fields"] == ["rank", "_creationTime"]
    assert tables["notes"]["searchIndexes"][0]["searchField"] == "text"
    assert tables["samples"]["vectorIndexes"][0]["dimensions"] == 2


def test_crons_are_told_in_the_backends_units(client: BackendClient) -> None:
    """Intervals are in seconds, days of the week are numbers from Sunday."""
    crons = {cron["name"]: cron for cron in client.crons()}
    assert {name: cron["schedule"] for name, cron in crons.items()} == {
        "often": {"type": "interval", "seconds": 5400},
        "daily": {"type": "daily", "hourUTC": 4, "minuteUTC": 30},
        "weekly": {"type": "weekly", "dayOfWeek": 1, "hourUTC": 1, "minuteUTC": 2},
        "by string": {"type": "cron", "cronExpr": "15 3 1 * *"},
    }
    assert crons["often"]["udfPath"] == "notes.js:store"
    assert crons["often"]["args"] == {"text": "often"}


def test_a_table_is_scanned_from_the_newest_and_cleared_from_the_oldest(
    client: BackendClient,
) -> None:
    """The scan is a list; clearing tells how many it deleted and whether there are more."""
    client.insert("notes", [{"text": text, "rank": 1.0} for text in "abc"])
    scanned = client.query(
        "_system/frontend/listTableScan", {"table": "notes", "limit": 2.0}, ADMIN
    )
    assert [row["text"] for row in scanned] == ["c", "b"]
    assert client.query("_system/frontend/tableSize", {"tableName": "notes"}, ADMIN) == 3
    page = {"tableName": "notes", "cursor": None}
    cleared = client.mutation("_system/frontend/clearTablePage", page, ADMIN)
    assert (cleared["deleted"], cleared["hasMore"]) == (3, False)
    assert client.documents("notes") == []


def test_variables_are_set_listed_and_removed_by_the_key(contract: Deployment) -> None:
    """The deployment's API takes changes of variables and lists those that are set."""
    address = contract.address
    if address.socket is None:
        pytest.skip("the real backend is set up by its own command")
    key = {"authorization": f"Convex {address.admin_key}"}
    transport = httpx.HTTPTransport(uds=str(address.socket))
    with httpx.Client(transport=transport, base_url=address.origin) as http:

        def change(**values: str | None) -> int:
            changes = [{"name": name, "value": value} for name, value in values.items()]
            path = "/api/update_environment_variables"
            return http.post(path, json={"changes": changes}, headers=key).status_code

        def listed() -> object:
            return http.get("/api/v1/list_environment_variables", headers=key).json()

        assert change(COLOUR="red", SIZE="7") == 200
        assert listed() == {"environmentVariables": {"COLOUR": "red", "SIZE": "7"}}
        assert change(COLOUR=None, SIZE=None) == 200
        assert listed() == {"environmentVariables": {}}
        assert change(**{"no name": "x"}) == 400
        assert http.get("/api/v1/list_environment_variables").status_code == 403


def test_system_functions_need_the_key(client: BackendClient) -> None:
    """Without the key nobody looks behind the functions."""
    with pytest.raises(Exception, match="permission"):
        client.query("_system/cli/tables", {"paginationOpts": {"numItems": 1, "cursor": None}})
