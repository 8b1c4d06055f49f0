// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import { internalQuery, type MutationCtx, type QueryCtx } from "../_generated/server";
import { findProjectOfKey } from "../keys/check";

/** A request that is sent again within so long gets its first reply. */
export const KEPT = 24 * 60 * 60 * 1000;

/** A reply with its body of JSON. */
export const reply = v.object({ status: v.number(), text: v.string() });
type Reply = Infer<typeof reply>;

async function findRequest(
  ctx: QueryCtx,
  project: Id<"projects">,
  request: string,
): Promise<Doc<"requests"> | null> {
  return await ctx.db
    .query("requests")
    .withIndex("by_project_and_request", (q) => q.eq("project", project).eq("request", request))
    .unique();
}

/** Return the reply to a request that was taken before; null if there was none. */
export async function findReply(
  ctx: QueryCtx,
  project: Id<"projects">,
  request: string | undefined,
): Promise<Reply | null> {
  const row = request === undefined ? null : await findRequest(ctx, project, request);
  if (row === null || row.at < Date.now() - KEPT) {
    return null;
  }
  return { status: row.status, text: row.text };
}

/** Keep the reply to a request that is taken, if the request has an id, and return it. */
export async function keepReply(
  ctx: MutationCtx,
  project: Id<"projects">,
  request: string | undefined,
  given: Reply,
): Promise<Reply> {
  if (request === undefined) {
    return given;
  }
  const row = { project, request, at: Date.now(), ...given };
  // One that is too old may still be there.
  const old = await findRequest(ctx, project, request);
  if (old === null) {
    await ctx.db.insert("requests", row);
  } else {
    await ctx.db.replace("requests", old._id, row);
  }
  return given;
}

/** The first reply to a request; null if it was not taken before, or the key is not good. */
export const first = internalQuery({
  args: { key: v.string(), requestId: v.string() },
  returns: v.union(v.null(), reply),
  handler: async (ctx, { key, requestId }) => {
    const project = await findProjectOfKey(ctx, key);
    return project === null ? null : await findReply(ctx, project._id, requestId);
  },
});
