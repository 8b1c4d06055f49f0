import { expect, test } from "vitest";
import { api, responseAdminClient, responseClient } from "../../../grader";

const list = async () => {
  const args = { componentId: null, paginationOpts: { numItems: 10, cursor: null }, udfPath: null };
  const name = "_system/frontend/paginatedScheduledJobs" as any;
  return (await responseAdminClient.query(name, args)).page;
};

test("a job is listed, and canceled", async () => {
  const id = await responseClient.mutation(api.index.plan, {});
  expect(await list()).toMatchObject([{ _id: id, state: { kind: "pending" } }]);
  await responseClient.mutation(api.index.drop, { id });
  const canceled = (await list()).filter((job: any) => job.state.kind !== "canceled");
  expect(canceled).toEqual([]);
});
