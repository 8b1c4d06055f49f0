import { expect, test } from "vitest";
import { responseAdminClient } from "../../../grader";

const spec: any[] = await responseAdminClient.query("_system/cli/modules:apiSpec" as any, {});

test("the function is described", () => {
  expect(spec.find((each) => each.identifier === "tools/text.js:shout")).toMatchObject({
    functionType: "Action",
    visibility: { kind: "public" },
    args: { type: "object", value: { text: { fieldType: { type: "string" }, optional: false } } },
    returns: { type: "string" },
  });
});

test("the route is described", () => {
  const routes = spec.filter((each) => each.functionType === "HttpAction");
  expect(routes).toMatchObject([{ method: "POST", path: "/shout" }]);
});
