// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";

/** How long a request that is sent again gets the first reply. */
export const KEPT = 24 * 60 * 60 * 1000;

/** Do what a request asks for, unless the project sent it before: then its reply is returned. */
export async function once<Reply>(
  ctx: MutationCtx,
  project: Id<"projects">,
  id: string | null,
  work: () => Promise<Reply>,
): Promise<Reply> {
  if (id === null) {
    return await work();
  }
  const earlier = await ctx.db
    .query("requests")
    .withIndex("by_project_id_and_at", (q) =>
      q.eq("project", project).eq("id", id).gte("at", Date.now() - KEPT),
    )
    .first();
  if (earlier !== null) {
    return JSON.parse(earlier.reply) as Reply;
  }
  const reply = await work();
  await ctx.db.insert("requests", { project, id, at: Date.now(), reply: JSON.stringify(reply) });
  return reply;
}
