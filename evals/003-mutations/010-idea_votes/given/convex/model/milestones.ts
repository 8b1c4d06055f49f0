// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { MILESTONES } from "../lib/rules";

/** Tells the author of the milestones that an idea has reached, if it was not done before. */
export async function tellMilestones(
  ctx: MutationCtx,
  id: Id<"ideas">,
  votes: number,
): Promise<void> {
  const idea = await ctx.db.get("ideas", id);
  if (idea === null || idea.state === "removed") return;
  for (const milestone of MILESTONES) {
    if (votes < milestone) return;
    const mail = await ctx.db
      .query("mails")
      .withIndex("by_idea", (q) => q.eq("idea", id).eq("milestone", milestone))
      .first();
    if (mail === null) await ctx.db.insert("mails", { person: idea.author, idea: id, milestone });
  }
}
