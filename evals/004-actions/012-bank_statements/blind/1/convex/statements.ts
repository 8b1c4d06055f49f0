// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { internalMutation, mutation, query } from "./_generated/server";
import { bookNext } from "./model/booking";
import { currentRun, endRun, getRun, startRun, watchReading } from "./model/runs";
import { requireStaff } from "./model/staff";
import { type State, vState } from "./model/validators";

/** Where the browser sends a file from the bank. */
export const uploadUrl = mutation({
  args: {},
  returns: v.string(),
  handler: async (ctx) => {
    await requireStaff(ctx);
    return await ctx.storage.generateUploadUrl();
  },
});

/** Starts a statement: its file is read at once, and booked after those that were added before. */
export const add = mutation({
  args: { name: v.string(), file: v.id("_storage") },
  returns: v.id("statements"),
  handler: async (ctx, { name, file }): Promise<Id<"statements">> => {
    await requireStaff(ctx);
    const statement = await ctx.db.insert("statements", { name, summary: "" });
    await startRun(ctx, statement, file);
    return statement;
  },
});

/** Books the next lines. Returns whether no statement is left to be read or booked. */
export const next = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx): Promise<boolean> => {
    const run = await currentRun(ctx);
    if (run === null) return true;
    if (run.state === "reading") await watchReading(ctx, run);
    else await bookNext(ctx, run);
    return (await currentRun(ctx)) === null;
  },
});

/** Ends a statement that is not done. What is booked stays. */
export const cancel = mutation({
  args: { statement: v.id("statements") },
  returns: v.null(),
  handler: async (ctx, { statement }): Promise<null> => {
    await requireStaff(ctx);
    const run = await getRun(ctx, statement);
    if (run !== null && (run.state === "reading" || run.state === "booking")) {
      await endRun(ctx, run, "cancelled");
    }
    return null;
  },
});

export const state = query({
  args: { statement: v.id("statements") },
  returns: vState,
  handler: async (ctx, { statement }): Promise<State> => {
    await requireStaff(ctx);
    const run = await getRun(ctx, statement);
    return run === null ? "done" : run.state;
  },
});

export const latest = query({
  args: {},
  handler: async (ctx) => {
    await requireStaff(ctx);
    const statements = await ctx.db.query("statements").order("desc").take(30);
    return statements.map(({ _id, name, summary }) => ({ _id, name, summary }));
  },
});

/** What became of each line, as far as the statement is booked. */
export const lines = query({
  args: { statement: v.id("statements"), paginationOpts: paginationOptsValidator },
  handler: async (ctx, { statement, paginationOpts }) => {
    await requireStaff(ctx);
    const result = await ctx.db
      .query("lines")
      .withIndex("by_statement", (q) => q.eq("statement", statement))
      .paginate(paginationOpts);
    return { ...result, page: result.page.map(({ number, text }) => ({ number, text })) };
  },
});
