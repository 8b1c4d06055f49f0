// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";

import { mutation, query, type QueryCtx } from "./_generated/server";
import schema from "./schema";

const dance = schema.tables.dances.validator;

export const programme = query({
  args: { evening: dance.fields.evening },
  returns: v.array(v.object({ ...dance.fields, _id: v.id("dances"), _creationTime: v.number() })),
  handler: (ctx, { evening }) => ofEvening(ctx, evening),
});

export const add = mutation({
  args: dance,
  returns: v.id("dances"),
  handler: async (ctx, added) => {
    const others = await ofEvening(ctx, added.evening);
    if (others.some(({ name }) => name === added.name)) {
      throw new ConvexError("This dance is on already.");
    }
    return ctx.db.insert("dances", added);
  },
});

function ofEvening(ctx: QueryCtx, evening: string) {
  return ctx.db
    .query("dances")
    .withIndex("programme", (q) => q.eq("evening", evening))
    .take(100);
}
