// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type Infer } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import {
  internalAction,
  internalMutation,
  internalQuery,
  mutation,
  query,
  type MutationCtx,
} from "./_generated/server";
import { chunksOf } from "./lib/lists";
import { storeTime } from "./model/time";

/** What a mutation stores of a file, so that one never grows too large. */
const CHUNK = 25;

/** A row as other programs write it: ids are texts of which nobody knows whether they are right. */
const importedRow = v.object({
  project: v.string(),
  member: v.string(),
  day: v.string(),
  minutes: v.number(),
});

const counts = v.object({ stored: v.number(), refused: v.number() });

/** Imports a list of rows (JSON) from another program; wrong rows are left out and counted. */
export const start = mutation({
  args: { url: v.string() },
  returns: v.id("imports"),
  handler: async (ctx, { url }) => {
    const id = await ctx.db.insert("imports", { url, state: "running", stored: 0, refused: 0 });
    await ctx.scheduler.runAfter(0, internal.imports.run, { import: id });
    return id;
  },
});

export const get = query({
  args: { import: v.id("imports") },
  returns: v.union(v.null(), counts.extend({ state: v.string() })),
  handler: async (ctx, args) => {
    const job = await ctx.db.get("imports", args.import);
    return job && { state: job.state, stored: job.stored, refused: job.refused };
  },
});

export const run = internalAction({
  args: { import: v.id("imports") },
  returns: v.null(),
  handler: async (ctx, args): Promise<null> => {
    const job = await ctx.runQuery(internal.imports.load, args);
    if (job === null) return null;
    let state: "done" | "failed" = "failed";
    try {
      const response = await fetch(job.url);
      const rows = (await response.json()) as Infer<typeof importedRow>[];
      await Promise.all(
        chunksOf(rows, CHUNK).map(async (chunk) => {
          const result = await ctx.runMutation(internal.imports.storeChunk, { rows: chunk });
          await ctx.runMutation(internal.imports.progress, {
            ...args,
            stored: result.stored,
            refused: result.refused,
          });
        }),
      );
      state = "done";
    } finally {
      await ctx.runMutation(internal.imports.finish, { ...args, state });
    }
    return null;
  },
});

export const load = internalQuery({
  args: { import: v.id("imports") },
  returns: v.union(v.null(), counts.extend({ url: v.string() })),
  handler: async (ctx, args) => {
    const job = await ctx.db.get("imports", args.import);
    return job && { url: job.url, stored: job.stored, refused: job.refused };
  },
});

export const storeChunk = internalMutation({
  args: { rows: v.array(importedRow) },
  returns: counts,
  handler: async (ctx, { rows }) => {
    let stored = 0;
    for (const row of rows) {
      try {
        await storeRow(ctx, row);
        stored += 1;
      } catch {
        // A wrong row is refused before anything of it is written; it is counted below.
      }
    }
    return { stored, refused: rows.length - stored };
  },
});

async function storeRow(
  ctx: MutationCtx,
  row: Infer<typeof importedRow>,
): Promise<Id<"entries">> {
  const project = ctx.db.normalizeId("projects", row.project);
  const member = ctx.db.normalizeId("members", row.member);
  if (project === null || member === null) throw new ConvexError("bad_row");
  return await storeTime(ctx, { ...row, project, member });
}

/** Adds what came of a chunk; those of an import end at any time and in any order. */
export const progress = internalMutation({
  args: { import: v.id("imports"), stored: v.number(), refused: v.number() },
  returns: v.null(),
  handler: async (ctx, { import: id, stored, refused }) => {
    const job = await ctx.db.get("imports", id);
    if (job === null) return null;
    await ctx.db.patch("imports", id, {
      stored: job.stored + stored,
      refused: job.refused + refused,
    });
    return null;
  },
});

export const finish = internalMutation({
  args: { import: v.id("imports"), state: v.union(v.literal("done"), v.literal("failed")) },
  returns: v.null(),
  handler: async (ctx, { import: id, state }) => {
    await ctx.db.patch("imports", id, { state });
    return null;
  },
});
