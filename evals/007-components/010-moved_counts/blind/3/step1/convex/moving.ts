// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc } from "./_generated/dataModel";
import { internalMutation, internalQuery, type MutationCtx } from "./_generated/server";
import { boardKey, memberKey, views, votes } from "./model/counts";

/*
 * Moves the counts of all boards, members and ideas from the component to the table `counts`. What is
 * created from now on has nothing in the component (model/counts.ts).
 */

const BATCH = 25;

/** Begins to move, or goes on if the last batch has failed. To start twice does no harm. */
export const start = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const move = await ctx.db.query("moves").unique();
    if (move?.stage === "done" || (move !== null && (await isRunning(ctx, move)))) return null;
    const job = await ctx.scheduler.runAfter(0, internal.moving.batch, {});
    if (move === null) await ctx.db.insert("moves", { stage: "boards", after: 0, job });
    else await ctx.db.patch("moves", move._id, { job });
    return null;
  },
});

/** Whether nothing depends on the component any more. */
export const isDone = internalQuery({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => (await ctx.db.query("moves").unique())?.stage === "done",
});

export const batch = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const move = await ctx.db.query("moves").unique();
    if (move === null || move.stage === "done") return null;
    const { stage, after } = await moveBatch(ctx, move.stage, move.after);
    if (stage === "done") {
      await ctx.db.patch("moves", move._id, { stage, after, job: undefined });
      return null;
    }
    const job = await ctx.scheduler.runAfter(0, internal.moving.batch, {});
    await ctx.db.patch("moves", move._id, { stage, after, job });
    return null;
  },
});

type Stage = Doc<"moves">["stage"];
type Position = { stage: Stage; after: number };

/** Moves the counts of the next documents of a table. Returns where to go on. */
async function moveBatch(
  ctx: MutationCtx,
  stage: Exclude<Stage, "done">,
  after: number,
): Promise<Position> {
  if (stage === "boards") {
    const boards = await takeBatch(
      ctx.db.query("boards").withIndex("by_creation_time", (q) => q.gt("_creationTime", after)),
    );
    for (const { _id } of boards) await votes.move(ctx, boardKey(_id));
    return positionAfter(boards, stage, "members");
  }
  if (stage === "members") {
    const members = await takeBatch(
      ctx.db.query("members").withIndex("by_creation_time", (q) => q.gt("_creationTime", after)),
    );
    for (const { _id } of members) await votes.move(ctx, memberKey(_id));
    return positionAfter(members, stage, "ideas");
  }
  const ideas = await takeBatch(
    ctx.db.query("ideas").withIndex("by_creation_time", (q) => q.gt("_creationTime", after)),
  );
  for (const { _id } of ideas) {
    await votes.move(ctx, _id);
    await views.move(ctx, _id);
  }
  return positionAfter(ideas, stage, "done");
}

type Dated = { _creationTime: number };

/** Takes a batch of documents, and never only some of those with the same creation time. */
async function takeBatch<T extends Dated>(documents: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  let last = 0;
  for await (const document of documents) {
    if (taken.length >= BATCH && document._creationTime !== last) break;
    taken.push(document);
    last = document._creationTime;
  }
  return taken;
}

function positionAfter(taken: Dated[], stage: Stage, next: Stage): Position {
  if (taken.length < BATCH) return { stage: next, after: 0 };
  return { stage, after: Math.max(...taken.map(({ _creationTime }) => _creationTime)) };
}

async function isRunning(ctx: MutationCtx, { job }: Doc<"moves">): Promise<boolean> {
  if (job === undefined) return false;
  const state = (await ctx.db.system.get("_scheduled_functions", job))?.state.kind;
  return state === "pending" || state === "inProgress";
}
