// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import { internalQuery, type MutationCtx, type QueryCtx } from "../_generated/server";
import { findByKey } from "../keys/check";
import { reply } from "../schema";

export type Reply = Infer<typeof reply>;

/** How long the reply to a request with an id is kept. */
export const KEPT = 24 * 60 * 60 * 1000;

/** Find the reply to a request that was taken; null if there is none, or the key is bad. */
export const find = internalQuery({
  args: { key: v.string(), request: v.string(), now: v.number() },
  returns: v.union(v.null(), reply),
  handler: async (ctx, { key, request, now }) => {
    const project = await findByKey(ctx, key);
    const row = project === null ? null : await findRow(ctx, project._id, request);
    return row !== null && isKept(row, now) ? row.reply : null;
  },
});

/** Take a request and return its reply; if it was taken before, only return the first reply. */
export async function takeOnce(
  ctx: MutationCtx,
  project: Id<"projects">,
  request: string | undefined,
  take: () => Promise<Reply>,
): Promise<Reply> {
  if (request === undefined) {
    return await take();
  }
  const now = Date.now();
  const row = await findRow(ctx, project, request);
  if (row !== null && isKept(row, now)) {
    return row.reply;
  }
  const fields = { project, request, takenAt: now, reply: await take() };
  if (row === null) {
    await ctx.db.insert("requests", fields);
  } else {
    await ctx.db.replace("requests", row._id, fields);
  }
  return fields.reply;
}

async function findRow(
  ctx: QueryCtx,
  project: Id<"projects">,
  request: string,
): Promise<Doc<"requests"> | null> {
  return await ctx.db
    .query("requests")
    .withIndex("by_project_and_request", (q) => q.eq("project", project).eq("request", request))
    .unique();
}

function isKept(row: Doc<"requests">, now: number): boolean {
  return row.takenAt >= now - KEPT;
}
