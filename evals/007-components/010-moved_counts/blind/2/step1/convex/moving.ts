// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc } from "./_generated/dataModel";
import { internalMutation, internalQuery, type MutationCtx } from "./_generated/server";
import { boardKey, memberKey, views, votes } from "./model/counts";

type Table = Doc<"moving">["table"];

const NEXT = { boards: "ideas", ideas: "members", members: null } as const;

/** Begins to move the counts, or goes on if the batches have come to a halt. */
export const start = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx): Promise<null> => {
    const state = await ctx.db.query("moving").first();
    if (state === null) {
      const job = await ctx.scheduler.runAfter(0, internal.moving.batch, {});
      await ctx.db.insert("moving", { table: "boards", cursor: null, isDone: false, job });
      return null;
    }
    if (state.isDone) return null;
    const last = await ctx.db.system.get("_scheduled_functions", state.job);
    if (last?.state.kind === "pending" || last?.state.kind === "inProgress") return null;
    const job = await ctx.scheduler.runAfter(0, internal.moving.batch, {});
    await ctx.db.patch("moving", state._id, { job });
    return null;
  },
});

/** Whether nothing depends on the component any more. */
export const isDone = internalQuery({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const state = await ctx.db.query("moving").first();
    return state?.isDone ?? false;
  },
});

export const batch = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx): Promise<null> => {
    const state = await ctx.db.query("moving").first();
    if (state === null || state.isDone) return null;
    const moved = await moveSome(ctx, state.table, state.cursor);
    const table = moved.isDone ? NEXT[state.table] : state.table;
    if (table === null) {
      await ctx.db.patch("moving", state._id, { isDone: true });
      return null;
    }
    const cursor = moved.isDone ? null : moved.continueCursor;
    const job = await ctx.scheduler.runAfter(0, internal.moving.batch, {});
    await ctx.db.patch("moving", state._id, { table, cursor, job });
    return null;
  },
});

/**
 * Moves the counts of the documents behind the cursor, the oldest first. Documents that are added
 * meanwhile have never had counts in the component.
 */
async function moveSome(
  ctx: MutationCtx,
  table: Table,
  cursor: string | null,
): Promise<{ isDone: boolean; continueCursor: string }> {
  switch (table) {
    case "boards": {
      const found = await ctx.db.query("boards").paginate({ cursor, numItems: 20 });
      for (const { _id } of found.page) await votes.move(ctx, boardKey(_id));
      return found;
    }
    case "ideas": {
      const found = await ctx.db.query("ideas").paginate({ cursor, numItems: 20 });
      for (const { _id } of found.page) {
        await votes.move(ctx, _id);
        await views.move(ctx, _id);
      }
      return found;
    }
    case "members": {
      const found = await ctx.db.query("members").paginate({ cursor, numItems: 40 });
      for (const { _id } of found.page) await votes.move(ctx, memberKey(_id));
      return found;
    }
  }
}
