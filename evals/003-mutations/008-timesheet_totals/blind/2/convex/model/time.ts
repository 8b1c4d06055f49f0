// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type Infer } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { checkDay } from "../lib/days";
import { priceOf } from "../lib/money";
import { timeChanged } from "./hooks";

export const timeRow = v.object({
  project: v.id("projects"),
  member: v.id("members"),
  day: v.string(),
  minutes: v.number(),
});

export async function openProject(ctx: QueryCtx, id: Id<"projects">): Promise<Doc<"projects">> {
  const project = await ctx.db.get("projects", id);
  if (project === null) throw new ConvexError("no_project");
  if (project.state === "closed") throw new ConvexError("project_closed");
  return project;
}

/** Stores one entry and all that follows from it. Checks everything before it writes. */
export async function storeTime(
  ctx: MutationCtx,
  row: Infer<typeof timeRow>,
): Promise<Id<"entries">> {
  const project = await openProject(ctx, row.project);
  const member = await ctx.db.get("members", row.member);
  if (member === null) throw new ConvexError("no_member");
  checkDay(row.day);
  if (!Number.isInteger(row.minutes) || row.minutes <= 0) throw new ConvexError("bad_minutes");
  const amount = priceOf(row.minutes, member.rate);
  const entry = await ctx.db.insert("entries", { ...row, amount });
  await timeChanged(ctx, { ...row, project, amount });
  return entry;
}

/** Moves an entry that is on no invoice to another project. */
export async function moveTime(
  ctx: MutationCtx,
  entry: Doc<"entries">,
  from: Doc<"projects">,
  to: Doc<"projects">,
): Promise<void> {
  const { member, day, minutes, amount } = entry;
  await ctx.db.patch("entries", entry._id, { project: to._id });
  await timeChanged(ctx, { project: from, member, day, minutes: -minutes, amount: -amount });
  await timeChanged(ctx, { project: to, member, day, minutes, amount });
}
