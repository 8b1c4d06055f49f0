// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc } from "./_generated/dataModel";
import { internalMutation, internalQuery, type MutationCtx } from "./_generated/server";
import { areAllMoved, boardKey, memberKey, views, votes } from "./model/counts";

/** The most documents whose counts one transaction moves; a few more if they are of one moment. */
const BATCH = 20;

/*
 * Boards, members and ideas are walked through, the oldest first. What is created meanwhile never
 * has counts in the component, as nothing is written there any more.
 */

/** Moves all counts to our own table. To start it again while it runs, or later, does no harm. */
export const start = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    if (await areAllMoved(ctx)) return null;
    const walk = await findWalk(ctx);
    const run = (walk?.run ?? 0) + 1;
    if (walk === null) {
      await ctx.db.insert("moving", { kind: "walk", run, stage: "boards", after: 0 });
    } else {
      await ctx.db.patch("moving", walk._id, { run });
    }
    await ctx.scheduler.runAfter(0, internal.moving.step, { run });
    return null;
  },
});

/** Whether nothing depends on the component any more. */
export const isDone = internalQuery({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => await areAllMoved(ctx),
});

/** Moves a batch. Only the run that was started last goes on. */
export const step = internalMutation({
  args: { run: v.number() },
  returns: v.null(),
  handler: async (ctx, { run }) => {
    const walk = await findWalk(ctx);
    if (walk === null || walk.run !== run || (await areAllMoved(ctx))) return null;
    const last = await moveBatch(ctx, walk.stage, walk.after);
    if (last !== null) {
      await ctx.db.patch("moving", walk._id, { after: last });
    } else if (walk.stage === "boards") {
      await ctx.db.patch("moving", walk._id, { stage: "members", after: 0 });
    } else if (walk.stage === "members") {
      await ctx.db.patch("moving", walk._id, { stage: "ideas", after: 0 });
    } else {
      await ctx.db.insert("moving", { kind: "done" });
      return null;
    }
    await ctx.scheduler.runAfter(0, internal.moving.step, { run });
    return null;
  },
});

type Walk = Extract<Doc<"moving">, { kind: "walk" }>;

async function findWalk(ctx: MutationCtx): Promise<Walk | null> {
  const walk = await ctx.db
    .query("moving")
    .withIndex("by_kind", (q) => q.eq("kind", "walk"))
    .unique();
  return walk?.kind === "walk" ? walk : null;
}

/** Moves what belongs to the next documents; returns when the last of them was created. */
async function moveBatch(
  ctx: MutationCtx,
  stage: Walk["stage"],
  after: number,
): Promise<number | null> {
  if (stage === "boards") {
    const boards = await nextOf(ctx, "boards", after);
    for (const { _id } of boards) await votes.move(ctx, boardKey(_id));
    return lastOf(boards);
  }
  if (stage === "members") {
    const members = await nextOf(ctx, "members", after);
    for (const { _id } of members) await votes.move(ctx, memberKey(_id));
    return lastOf(members);
  }
  const ideas = await nextOf(ctx, "ideas", after);
  for (const { _id } of ideas) {
    await votes.move(ctx, _id);
    await views.move(ctx, _id);
  }
  return lastOf(ideas);
}

async function nextOf<T extends Walk["stage"]>(
  ctx: MutationCtx,
  table: T,
  after: number,
): Promise<Doc<T>[]>;
async function nextOf(
  ctx: MutationCtx,
  table: Walk["stage"],
  after: number,
): Promise<Doc<Walk["stage"]>[]> {
  if (table === "boards") {
    const next = await ctx.db
      .query("boards")
      .withIndex("by_creation_time", (q) => q.gt("_creationTime", after))
      .take(BATCH);
    const last = lastOf(next);
    if (last === null) return [];
    const same = await ctx.db
      .query("boards")
      .withIndex("by_creation_time", (q) => q.eq("_creationTime", last))
      .collect();
    return [...next.filter((board) => board._creationTime !== last), ...same];
  }
  if (table === "members") {
    const next = await ctx.db
      .query("members")
      .withIndex("by_creation_time", (q) => q.gt("_creationTime", after))
      .take(BATCH);
    const last = lastOf(next);
    if (last === null) return [];
    const same = await ctx.db
      .query("members")
      .withIndex("by_creation_time", (q) => q.eq("_creationTime", last))
      .collect();
    return [...next.filter((member) => member._creationTime !== last), ...same];
  }
  const next = await ctx.db
    .query("ideas")
    .withIndex("by_creation_time", (q) => q.gt("_creationTime", after))
    .take(BATCH);
  const last = lastOf(next);
  if (last === null) return [];
  const same = await ctx.db
    .query("ideas")
    .withIndex("by_creation_time", (q) => q.eq("_creationTime", last))
    .collect();
  return [...next.filter((idea) => idea._creationTime !== last), ...same];
}

function lastOf(documents: { _creationTime: number }[]): number | null {
  return documents.length === 0 ? null : documents[documents.length - 1]._creationTime;
}
