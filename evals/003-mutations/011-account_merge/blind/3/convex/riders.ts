// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { refuse } from "./lib/errors";
import { requireRider } from "./lib/session";
import { findRider } from "./model/riders";

/** Makes an account for a new login; a login that has one gets its rider. */
export const register = mutation({
  args: { name: v.string(), email: v.string() },
  returns: v.id("riders"),
  handler: async (ctx, { name, email }) => {
    const identity = await ctx.auth.getUserIdentity();
    if (identity === null) refuse("not_signed_in");
    const { subject } = identity;
    const login = await ctx.db
      .query("logins")
      .withIndex("by_subject", (q) => q.eq("subject", subject))
      .unique();
    if (login !== null) return login.rider;
    const rider = await ctx.db.insert("riders", { name, email, credit: 0, unread: 0 });
    await ctx.db.insert("logins", { subject, rider });
    return rider;
  },
});

export const me = query({
  args: {},
  handler: async (ctx) => {
    const { _id, name, email, credit, unread } = await requireRider(ctx);
    return { id: _id, name, email, credit, unread };
  },
});

/** What everybody may know of a rider. */
export const profile = query({
  args: { rider: v.id("riders") },
  returns: v.object({ id: v.id("riders"), name: v.string() }),
  handler: async (ctx, { rider: id }) => {
    const rider = (await findRider(ctx, id)) ?? refuse("not_found");
    return { id: rider._id, name: rider.name };
  },
});
