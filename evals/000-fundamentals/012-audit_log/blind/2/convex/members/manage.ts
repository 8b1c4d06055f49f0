// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, mutation } from "../_generated/server";
import { memberActor, patchTicket, record } from "../lib/audit";
import { fail } from "../lib/errors";
import { requireAdmin } from "../lib/members";
import { role } from "../schema";

/** Make the first admin. We call it from the dashboard when we set up a desk. */
export const setUp = internalMutation({
  args: { token: v.string(), name: v.string() },
  returns: v.id("members"),
  handler: async (ctx, args) => {
    const id = await ctx.db.insert("members", { ...args, role: "admin" });
    const after = await ctx.db.get("members", id);
    await record(ctx, "dashboard", { table: "members", before: null, after });
    return id;
  },
});

export const add = mutation({
  args: { token: v.string(), name: v.string(), role },
  returns: v.id("members"),
  handler: async (ctx, args) => {
    const admin = await requireAdmin(ctx);
    const holder = await ctx.db
      .query("members")
      .withIndex("by_token", (q) => q.eq("token", args.token))
      .unique();
    if (holder !== null) {
      throw fail("already_member");
    }
    const id = await ctx.db.insert("members", args);
    const after = await ctx.db.get("members", id);
    await record(ctx, memberActor(admin._id), { table: "members", before: null, after });
    return id;
  },
});

export const setRole = mutation({
  args: { member: v.id("members"), role },
  returns: v.null(),
  handler: async (ctx, { member, role: given }) => {
    const admin = await requireAdmin(ctx);
    const before = await ctx.db.get("members", member);
    await ctx.db.patch("members", member, { role: given });
    const after = await ctx.db.get("members", member);
    await record(ctx, memberActor(admin._id), { table: "members", before, after });
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
    const actor = memberActor(admin._id);
    const tickets = await ctx.db
      .query("tickets")
      .withIndex("by_assignee", (q) => q.eq("assignee", member))
      .take(1000);
    for (const ticket of tickets) {
      await patchTicket(ctx, actor, ticket._id, { assignee: undefined });
    }
    const before = await ctx.db.get("members", member);
    await ctx.db.delete("members", member);
    await record(ctx, actor, { table: "members", before, after: null });
    return null;
  },
});
