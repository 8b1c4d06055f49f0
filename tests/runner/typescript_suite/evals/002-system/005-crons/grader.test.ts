import { expect, test } from "vitest";
import { responseAdminClient } from "../../../grader";

const jobs: any[] = await responseAdminClient.query("_system/frontend/listCronJobs" as any, {
  componentId: null,
});
const schedules = Object.fromEntries(jobs.map(({ name, cronSpec }) => [name, cronSpec.cronSchedule]));

test("both jobs are there", () => {
  expect(Object.keys(schedules).sort()).toEqual(["clean up", "report"]);
  for (const { cronSpec } of jobs) expect(cronSpec.udfPath).toMatch(/index(\.js)?:cleanUp/);
});

test("the interval is an hour", () => {
  expect(schedules["clean up"]).toEqual({ type: "interval", seconds: 3600n });
});

test("the report comes on Mondays", () => {
  expect(schedules.report).toMatchObject({ type: "weekly", hourUTC: 8n, minuteUTC: 30n });
});
