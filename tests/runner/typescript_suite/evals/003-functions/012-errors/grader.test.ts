import { ConvexError } from "convex/values";
import { expect, test } from "vitest";
import { api, responseClient } from "../../../grader";

test("the data reaches the client", async () => {
  const error = await responseClient.mutation(api.index.fail, { code: 7 }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(ConvexError);
  expect(error.data).toEqual({ code: 7 });
});
