// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { settleLine } from "./model/places";

export const remind = internalMutation({
  args: { permit: v.id("permits"), ends: v.number() },
  returns: v.null(),
  handler: async (ctx, { permit: id, ends }) => {
    const permit = await ctx.db.get("permits", id);
    if (permit?.ends !== ends) return null;
    const { owner, zone } = permit;
    await ctx.db.insert("notices", { owner, zone, kind: "ends soon" });
    return null;
  },
});

export const end = internalMutation({
  args: { permit: v.id("permits"), ends: v.number() },
  returns: v.null(),
  handler: async (ctx, { permit: id, ends }) => {
    const permit = await ctx.db.get("permits", id);
    if (permit?.ends !== ends) return null;
    const { owner, zone } = permit;
    await ctx.db.insert("notices", { owner, zone, kind: "ended" });
    await settleLine(ctx, zone, ends);
    return null;
  },
});

export const lapse = internalMutation({
  args: { zone: v.id("zones"), at: v.number() },
  returns: v.null(),
  handler: async (ctx, { zone, at }) => {
    await settleLine(ctx, zone, at);
    return null;
  },
});
