// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator } from "convex/server";
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import {
  internalAction,
  internalMutation,
  mutation,
  query,
  type QueryCtx,
} from "./_generated/server";
import { Booker } from "./model/booking";
import { readStatement, vRow } from "./model/files";
import { round, show } from "./model/python";
import { requireStaff } from "./model/staff";
import { vState } from "./schema";

const MOST_LINES = 20;
/** What has been read when one more line, the longest, still fits. */
const READS_LEFT = 110;
const CHUNK = 100;

/** Where the browser sends a file from the bank. */
export const uploadUrl = mutation({
  args: {},
  returns: v.string(),
  handler: async (ctx) => {
    await requireStaff(ctx);
    return await ctx.storage.generateUploadUrl();
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

async function findProgress(ctx: QueryCtx, statement: Id<"statements">): Promise<Doc<"progress"> | null> {
  return await ctx.db
    .query("progress")
    .withIndex("by_statement", (q) => q.eq("statement", statement))
    .unique();
}

export const add = mutation({
  args: { name: v.string(), file: v.id("_storage") },
  returns: v.id("statements"),
  handler: async (ctx, { name, file }) => {
    await requireStaff(ctx);
    const statement = await ctx.db.insert("statements", { name, file, summary: "" });
    await ctx.db.insert("progress", {
      statement,
      state: "reading",
      isOver: false,
      booked: 0,
      size: 0,
      known: 0,
      total: 0,
    });
    await ctx.scheduler.runAfter(0, internal.statements.read, { statement, file });
    return statement;
  },
});

export const state = query({
  args: { statement: v.id("statements") },
  returns: vState,
  handler: async (ctx, { statement }) => {
    await requireStaff(ctx);
    return (await findProgress(ctx, statement))?.state ?? "done";
  },
});

export const cancel = mutation({
  args: { statement: v.id("statements") },
  returns: v.null(),
  handler: async (ctx, { statement }) => {
    await requireStaff(ctx);
    const progress = await findProgress(ctx, statement);
    if (progress === null || progress.isOver) throw new ConvexError("is_over");
    await ctx.db.patch("progress", progress._id, { state: "cancelled", isOver: true });
    return null;
  },
});

export const read = internalAction({
  args: { statement: v.id("statements"), file: v.id("_storage") },
  returns: v.null(),
  handler: async (ctx, { statement, file }) => {
    const blob = await ctx.storage.get(file);
    const rows = blob && readStatement(new Uint8Array(await blob.arrayBuffer()));
    let start = 0;
    do {
      const isLast = rows === null || start + CHUNK >= rows.length;
      const chunk = rows?.slice(start, start + CHUNK) ?? null;
      await ctx.runMutation(internal.statements.store, { statement, start, chunk, isLast });
      start += CHUNK;
    } while (rows !== null && start < rows.length);
    return null;
  },
});

export const store = internalMutation({
  args: {
    statement: v.id("statements"),
    start: v.number(),
    chunk: v.nullable(v.array(vRow)),
    isLast: v.boolean(),
  },
  returns: v.null(),
  handler: async (ctx, { statement, start, chunk, isLast }) => {
    const progress = await findProgress(ctx, statement);
    if (progress === null || progress.state !== "reading") return null;
    if (chunk === null) {
      await ctx.db.patch("progress", progress._id, { state: "refused", isOver: true });
      return null;
    }
    if (chunk.length > 0) await ctx.db.insert("chunks", { statement, start, rows: chunk });
    const size = start + chunk.length;
    const isOver = isLast && size === 0;
    const after = isOver ? "done" : "booking";
    await ctx.db.patch("progress", progress._id, { size, isOver, state: isLast ? after : "reading" });
    return null;
  },
});

export const next = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const progress = await ctx.db
      .query("progress")
      .withIndex("by_over", (q) => q.eq("isOver", false))
      .first();
    if (progress === null) return true;
    if (progress.state === "reading") return false;
    const { statement, size } = progress;
    let { booked, known, total } = progress;
    const chunk = await ctx.db
      .query("chunks")
      .withIndex("by_statement", (q) => q.eq("statement", statement).lte("start", booked))
      .order("desc")
      .first();
    if (chunk === null) throw new Error(`no rows of ${statement}`);
    const booker = new Booker(ctx);
    for (const row of chunk.rows.slice(booked - chunk.start).slice(0, MOST_LINES)) {
      if (booker.reads > READS_LEFT) break;
      booked += 1;
      if (await booker.bookRow(statement, row)) total += row.amount;
      else known += 1;
    }
    const share = round(((booked - known) / booked) * 100);
    const summary = `${booked - known} of ${booked} new (${share}%), ${show(total)}`;
    await ctx.db.patch("statements", statement, { summary });
    const isOver = booked === size;
    await ctx.db.patch("progress", progress._id, {
      booked,
      known,
      total,
      isOver,
      state: isOver ? "done" : "booking",
    });
    return false;
  },
});
