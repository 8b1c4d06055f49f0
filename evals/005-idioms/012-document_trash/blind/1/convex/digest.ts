// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";

const DAY = 24 * 60 * 60 * 1000;

/** Tells the members of each workspace what others did in the last day. */
export const send = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const since = Date.now() - DAY;
    for (const workspace of await ctx.db.query("workspaces").collect()) {
      const activities = await ctx.db
        .query("activities")
        .withIndex("by_workspace", (q) =>
          q.eq("workspace", workspace._id).eq("trashed", undefined).gt("_creationTime", since),
        )
        .collect();
      if (activities.length === 0) continue;
      const titles = new Set<string>();
      for (const { document } of activities) {
        const title = (await ctx.db.get("documents", document))?.title;
        if (title !== undefined) titles.add(title);
      }
      const text = `${activities.length} changes: ${[...titles].join(", ")}`;
      const members = ctx.db
        .query("members")
        .withIndex("by_workspace", (q) => q.eq("workspace", workspace._id));
      for (const member of await members.collect())
        await ctx.db.insert("notices", { member: member._id, text });
    }
    return null;
  },
});
