// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type Infer } from "convex/values";
import type { Id } from "../_generated/dataModel";
import { internalQuery, type MutationCtx, type QueryCtx } from "../_generated/server";
import { requireKey } from "../keys/check";
import { nextMonth } from "../lib/months";

/** How long a request with an id is known. */
export const KNOWN_FOR = 24 * 60 * 60 * 1000;

/** A reply of the HTTP interface; its body is JSON. */
export const httpReply = v.object({ status: v.number(), body: v.string() });
export type HttpReply = Infer<typeof httpReply>;

/** Return the reply to a request that does not fit into the month. */
export function overLimit(now: number): HttpReply {
  const body = JSON.stringify({ error: "over_limit", resetsAt: nextMonth(now) });
  return { status: 429, body };
}

/** Return the reply that a project's request with this id got; null if it is a new one. */
export async function findReply(
  ctx: QueryCtx,
  project: Id<"projects">,
  requestId: string | undefined,
  now: number,
): Promise<HttpReply | null> {
  if (requestId === undefined) {
    return null;
  }
  const request = await ctx.db
    .query("requests")
    .withIndex("by_project_and_requestId_and_at", (q) =>
      q
        .eq("project", project)
        .eq("requestId", requestId)
        .gte("at", now - KNOWN_FOR),
    )
    .first();
  return request === null ? null : { status: request.status, body: request.body };
}

/** Keep the reply to a request that was taken, and return it. */
export async function keepReply(
  ctx: MutationCtx,
  project: Id<"projects">,
  requestId: string | undefined,
  now: number,
  reply: HttpReply,
): Promise<HttpReply> {
  if (requestId !== undefined) {
    await ctx.db.insert("requests", { project, requestId, at: now, ...reply });
  }
  return reply;
}

/** Find the reply to a request that is no good by itself, but may have been taken before. */
export const find = internalQuery({
  args: { key: v.string(), requestId: v.string(), now: v.number() },
  returns: v.union(v.null(), httpReply),
  handler: async (ctx, { key, requestId, now }) => {
    try {
      const project = await requireKey(ctx, key);
      return await findReply(ctx, project._id, requestId, now);
    } catch (error) {
      if (error instanceof ConvexError) {
        return null;
      }
      throw error;
    }
  },
});
