// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, mutation } from "../_generated/server";
import { logChange, logCreated, memberActor } from "../audit/log";
import { fail } from "../lib/errors";
import { requireAdmin } from "../lib/members";
import { role } from "../schema";

/** Make the first admin. We call it from the dashboard when we set up a desk. */
export const setUp = internalMutation({
  args: { token: v.string(), name: v.string() },
  returns: v.id("members"),
  handler: async (ctx, args) => {
    const id = await ctx.db.insert("members", { ...args, role: "admin" });
    await logCreated(ctx, "dashboard", "members", id);
    return id;
  },
});

export const add = mutation({
  args: { token: v.string(), name: v.string(), role },
  returns: v.id("members"),
  handler: async (ctx, args) => {
    const actor = memberActor(await requireAdmin(ctx));
    const holder = await ctx.db
      .query("members")
      .withIndex("by_token", (q) => q.eq("token", args.token))
      .unique();
    if (holder !== null) {
      throw fail("already_member");
    }
    const id = await ctx.db.insert("members", args);
    await logCreated(ctx, actor, "members", id);
    return id;
  },
});

export const setRole = mutation({
  args: { member: v.id("members"), role },
  returns: v.null(),
  handler: async (ctx, { member, role: given }) => {
    const actor = memberActor(await requireAdmin(ctx));
    const change = () => ctx.db.patch("members", member, { role: given });
    await logChange(ctx, actor, "members", member, change);
    return null;
  },
});

/** Take a member out. Their tickets are nobody's then. */
export const remove = mutation({
  args: { member: v.id("members") },
  returns: v.null(),
  handler: async (ctx, { member }) => {
    const admin = await requireAdmin(ctx);
    if (admin._id === member) {
      throw fail("last_admin");
    }
    const actor = memberActor(admin);
    const tickets = await ctx.db
      .query("tickets")
      .withIndex("by_assignee", (q) => q.eq("assignee", member))
      .take(1000);
    for (const { _id } of tickets) {
      const release = () => ctx.db.patch("tickets", _id, { assignee: undefined });
      await logChange(ctx, actor, "tickets", _id, release);
    }
    await logChange(ctx, actor, "members", member, () => ctx.db.delete("members", member));
    return null;
  },
});
