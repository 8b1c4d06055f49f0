// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/// <reference types="vite/client" />
import { convexTest } from "convex-test";
import { expect, test } from "vitest";
import { api } from "./_generated/api";
import schema from "./schema";

const modules = import.meta.glob("./**/*.*s");

test("a week is logged at once", async () => {
  const t = convexTest(schema, modules);
  const client = await t.mutation(api.clients.create, { name: "Harbour Trust" });
  const project = await t.mutation(api.projects.create, { client, name: "Website" });
  const member = await t.mutation(api.members.create, { name: "Ada", rate: 9000 });
  const days = ["2026-11-23", "2026-11-24", "2026-11-25", "2026-11-26"];

  await t.mutation(api.entries.logWeek, {
    rows: days.map((day) => ({ project, member, day, minutes: 90 })),
  });

  const entries = await t.query(api.entries.ofProject, { project });
  expect(entries.length).toBe(4);
  expect((await t.query(api.projects.get, { project }))?.minutes).toBe(360);
});
