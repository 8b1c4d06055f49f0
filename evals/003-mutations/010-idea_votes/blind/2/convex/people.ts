// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, query } from "./_generated/server";
import { findCaller } from "./lib/caller";
import { addVotes, karmaOf } from "./model/figures";

/** The caller, as others see them; null before they did anything. */
export const me = query({
  args: {},
  returns: v.union(v.null(), v.object({ name: v.string(), karma: v.number() })),
  handler: async (ctx) => {
    const person = await findCaller(ctx);
    return person && { name: person.name, karma: await karmaOf(ctx, person._id) };
  },
});

/** Takes back all votes of somebody who cheats, whatever became of the ideas. Moderators do this. */
export const disqualify = internalMutation({
  args: { token: v.string() },
  returns: v.null(),
  handler: async (ctx, { token }) => {
    const person = await ctx.db
      .query("people")
      .withIndex("by_token", (q) => q.eq("token", token))
      .unique();
    if (person === null) return null;
    const votes = await ctx.db
      .query("votes")
      .withIndex("by_person_and_board", (q) => q.eq("person", person._id))
      .collect();
    for (const { _id, idea: id, board: at, round } of votes) {
      const [idea, board] = [await ctx.db.get("ideas", id), await ctx.db.get("boards", at)];
      await ctx.db.delete("votes", _id);
      if (idea === null || idea.state === "removed" || round !== board?.round) continue;
      await addVotes(ctx, idea, -1);
    }
    return null;
  },
});
