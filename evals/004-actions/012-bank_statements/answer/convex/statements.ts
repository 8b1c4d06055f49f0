// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator } from "convex/server";
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc } from "./_generated/dataModel";
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

const MOST_LINES = 25;
/** What has been read when one more line, the longest, still fits. */
const READS_LEFT = 110;
const ROWS_STORED_AT_ONCE = 200;

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

export const add = mutation({
  args: { name: v.string(), file: v.id("_storage") },
  returns: v.id("statements"),
  handler: async (ctx, { name, file }) => {
    await requireStaff(ctx);
    const statement = await ctx.db.insert("statements", {
      name,
      file,
      summary: "",
      state: "reading",
      position: 0,
      count: 0,
      newCount: 0,
      total: 0,
    });
    await ctx.scheduler.runAfter(0, internal.statements.read, { statement, file });
    return statement;
  },
});

export const state = query({
  args: { statement: v.id("statements") },
  returns: vState,
  handler: async (ctx, { statement: id }) => {
    await requireStaff(ctx);
    const statement = await ctx.db.get("statements", id);
    if (statement === null) throw new ConvexError("not_found");
    return statement.state ?? "done";
  },
});

export const cancel = mutation({
  args: { statement: v.id("statements") },
  returns: v.null(),
  handler: async (ctx, { statement: id }) => {
    await requireStaff(ctx);
    const statement = await ctx.db.get("statements", id);
    if (statement === null) throw new ConvexError("not_found");
    if (statement.state === "reading" || statement.state === "booking") {
      await ctx.db.patch("statements", id, { state: "cancelled" });
    }
    return null;
  },
});

export const read = internalAction({
  args: { statement: v.id("statements"), file: v.id("_storage") },
  returns: v.null(),
  handler: async (ctx, { statement, file }) => {
    const blob = await ctx.storage.get(file);
    const rows = blob === null ? null : readStatement(new Uint8Array(await blob.arrayBuffer()));
    for (let start = 0; rows !== null && start < rows.length; start += ROWS_STORED_AT_ONCE) {
      const part = rows.slice(start, start + ROWS_STORED_AT_ONCE);
      const goesOn = await ctx.runMutation(internal.statements.storeRows, { statement, rows: part });
      if (!goesOn) return null;
    }
    await ctx.runMutation(internal.statements.endReading, { statement, isRead: rows !== null });
    return null;
  },
});

export const storeRows = internalMutation({
  args: { statement: v.id("statements"), rows: v.array(vRow) },
  returns: v.boolean(),
  handler: async (ctx, { statement, rows }) => {
    const stored = await ctx.db.get("statements", statement);
    if (stored?.state !== "reading") return false;
    for (const row of rows) await ctx.db.insert("rows", { statement, row, number: row.number });
    return true;
  },
});

export const endReading = internalMutation({
  args: { statement: v.id("statements"), isRead: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { statement, isRead }) => {
    const stored = await ctx.db.get("statements", statement);
    if (stored?.state !== "reading") return null;
    await ctx.db.patch("statements", statement, { state: isRead ? "booking" : "refused" });
    return null;
  },
});

async function findFirst(ctx: QueryCtx): Promise<Doc<"statements"> | null> {
  const [reading, booking] = await Promise.all(
    (["reading", "booking"] as const).map((wanted) =>
      ctx.db
        .query("statements")
        .withIndex("by_state", (q) => q.eq("state", wanted))
        .first(),
    ),
  );
  if (reading === null || booking === null) return reading ?? booking;
  return reading._creationTime < booking._creationTime ? reading : booking;
}

export const next = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const statement = await findFirst(ctx);
    if (statement === null) return true;
    if (statement.state === "reading") return false;
    const waiting = await ctx.db
      .query("rows")
      .withIndex("by_statement", (q) =>
        q.eq("statement", statement._id).gt("number", statement.position ?? 0),
      )
      .take(MOST_LINES + 1);
    const booker = new Booker(ctx);
    let { position = 0, count = 0, newCount = 0, total = 0 } = statement;
    let booked = 0;
    for (const { row } of waiting.slice(0, MOST_LINES)) {
      if (booker.reads > READS_LEFT) break;
      const isNew = await booker.bookRow(statement._id, row);
      booked += 1;
      position = row.number;
      count += 1;
      newCount += isNew ? 1 : 0;
      total += isNew ? row.amount : 0;
    }
    const isDone = booked === waiting.length;
    const share = round((newCount / count) * 100);
    await ctx.db.patch("statements", statement._id, {
      position,
      count,
      newCount,
      total,
      ...(count === 0 ? {} : { summary: `${newCount} of ${count} new (${share}%), ${show(total)}` }),
      ...(isDone ? { state: "done" as const } : {}),
    });
    return isDone && (await findFirst(ctx)) === null;
  },
});
