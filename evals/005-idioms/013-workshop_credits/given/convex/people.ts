// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "./_generated/server";
import { findByName, refuse, requirePerson } from "./model/session";

export const join = mutation({
  args: { name: v.string() },
  returns: v.null(),
  handler: async (ctx, { name }) => {
    const person = await requirePerson(ctx);
    const known = await ctx.db
      .query("members")
      .withIndex("by_person", (q) => q.eq("person", person))
      .unique();
    if (known !== null) refuse("joined already");
    if ((await findByName(ctx, name)) !== null) refuse("name taken");
    await ctx.db.insert("members", { person, name, folded: name.toLowerCase() });
    return null;
  },
});
