// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalAction, internalMutation } from "./_generated/server";
import { sizeOf } from "./model/booking";
import { readFile } from "./model/files";
import { endRun, findRun } from "./model/runs";
import { type Row, type State, vRow } from "./model/validators";

const CHUNK_ROWS = 500;
const CHUNK_SIZE = 100_000;
const CLEARED_AT_ONCE = 8;

/** The rows of one chunk. The same file always gives the same chunks. */
function chunkFrom(rows: Row[], start: number): Row[] {
  const chunk: Row[] = [];
  let size = 0;
  for (const row of rows.slice(start, start + CHUNK_ROWS)) {
    size += sizeOf(row);
    if (chunk.length > 0 && size > CHUNK_SIZE) break;
    chunk.push(row);
  }
  return chunk;
}

export const read = internalAction({
  args: { statement: v.id("statements"), file: v.id("_storage") },
  returns: v.null(),
  handler: async (ctx, { statement, file }): Promise<null> => {
    const blob = await ctx.storage.get(file);
    const rows = blob === null ? null : readFile(new Uint8Array(await blob.arrayBuffer()));
    if (rows === null) {
      await ctx.runMutation(internal.reading.refuse, { statement });
      return null;
    }
    let start = 0;
    let wanted = true;
    while (wanted) {
      const chunk = chunkFrom(rows, start);
      wanted = await ctx.runMutation(internal.reading.store, {
        statement,
        start,
        rows: chunk,
        count: rows.length,
      });
      start += chunk.length;
    }
    return null;
  },
});

/** Keeps the next rows of a file that has `count` of them. Returns whether there are more to keep. */
export const store = internalMutation({
  args: {
    statement: v.id("statements"),
    start: v.number(),
    rows: v.array(vRow),
    count: v.number(),
  },
  returns: v.boolean(),
  handler: async (ctx, { statement, start, rows, count }): Promise<boolean> => {
    const run = await findRun(ctx, statement);
    if (run === null || run.state !== "reading") return false;
    // An earlier try may have stored some of the chunks.
    if (start === run.stored && rows.length > 0) {
      await ctx.db.insert("chunks", { statement, start, rows });
    }
    const stored = Math.max(run.stored, start + rows.length);
    let state: State = "reading";
    if (stored >= count) state = count === 0 ? "done" : "booking";
    await ctx.db.patch("runs", run._id, { stored, state });
    return state === "reading";
  },
});

export const refuse = internalMutation({
  args: { statement: v.id("statements") },
  returns: v.null(),
  handler: async (ctx, { statement }): Promise<null> => {
    const run = await findRun(ctx, statement);
    if (run !== null && run.state === "reading") await endRun(ctx, run, "refused");
    return null;
  },
});

/** Deletes the rows of a statement that nobody will book. */
export const clear = internalMutation({
  args: { statement: v.id("statements") },
  returns: v.null(),
  handler: async (ctx, { statement }): Promise<null> => {
    const chunks = await ctx.db
      .query("chunks")
      .withIndex("by_statement", (q) => q.eq("statement", statement))
      .take(CLEARED_AT_ONCE);
    for (const chunk of chunks) await ctx.db.delete("chunks", chunk._id);
    if (chunks.length === CLEARED_AT_ONCE) {
      await ctx.scheduler.runAfter(0, internal.reading.clear, { statement });
    }
    return null;
  },
});
