// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { action, internalQuery } from "./_generated/server";
import { requireMember } from "./model/access";

export const load = internalQuery({
  args: { clinic: v.id("clinics"), day: v.string() },
  returns: v.array(v.object({ name: v.string(), isFree: v.boolean() })),
  handler: async (ctx, { clinic, day }) => {
    await requireMember(ctx, clinic);
    const members = await ctx.db
      .query("members")
      .withIndex("by_clinic", (q) => q.eq("clinic", clinic))
      .collect();
    return await Promise.all(
      members
        .filter((member) => member.leftAt === undefined)
        .map(async ({ _id, name }) => {
          const shift = await ctx.db
            .query("shifts")
            .withIndex("by_member", (q) => q.eq("member", _id).eq("day", day))
            .first();
          const absence = await ctx.db
            .query("absences")
            .withIndex("by_member", (q) => q.eq("member", _id).eq("day", day))
            .first();
          return { name, isFree: shift === null && absence === null };
        }),
    );
  },
});

/** Who could still work on a day, by name. */
export const suggest = action({
  args: { clinic: v.id("clinics"), day: v.string() },
  returns: v.array(v.string()),
  handler: async (ctx, args): Promise<string[]> => {
    const members = await ctx.runQuery(internal.planner.load, args);
    return members
      .filter((member) => member.isFree)
      .map((member) => member.name)
      .sort();
  },
});
