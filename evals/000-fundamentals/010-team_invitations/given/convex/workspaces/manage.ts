// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "../_generated/server";
import { fail } from "../lib/errors";
import { SEATS } from "../lib/plans";
import { enter, getMember, requireMember } from "../members/roster";
import { plan } from "../schema";
import { requireUser } from "../users/find";

export const create = mutation({
  args: { name: v.string() },
  returns: v.id("workspaces"),
  handler: async (ctx, { name }) => {
    const user = await requireUser(ctx);
    const id = await ctx.db.insert("workspaces", { name, plan: "free", seatsTaken: 0 });
    const workspace = await ctx.db.get("workspaces", id);
    if (workspace !== null) {
      await enter(ctx, workspace, user._id, "owner");
    }
    return id;
  },
});

export const get = query({
  args: { workspace: v.id("workspaces") },
  returns: v.object({ name: v.string(), plan, seats: v.number(), seatsTaken: v.number() }),
  handler: async (ctx, args) => {
    await requireMember(ctx, args.workspace);
    const workspace = await ctx.db.get("workspaces", args.workspace);
    if (workspace === null) {
      throw fail("not_found");
    }
    const { name, seatsTaken } = workspace;
    return { name, plan: workspace.plan, seats: SEATS[workspace.plan], seatsTaken };
  },
});

export const changePlan = mutation({
  args: { workspace: v.id("workspaces"), plan },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { role } = await requireMember(ctx, args.workspace);
    const workspace = await ctx.db.get("workspaces", args.workspace);
    if (role !== "owner" || workspace === null) {
      throw fail("not_allowed");
    }
    if (workspace.seatsTaken > SEATS[args.plan]) {
      throw fail("no_seat");
    }
    await ctx.db.patch("workspaces", workspace._id, { plan: args.plan });
    return null;
  },
});

export const setDomain = mutation({
  args: { workspace: v.id("workspaces"), domain: v.union(v.null(), v.string()) },
  returns: v.null(),
  handler: async (ctx, { workspace, domain }) => {
    const { role } = await requireMember(ctx, workspace);
    if (role !== "owner") {
      throw fail("not_allowed");
    }
    await ctx.db.patch("workspaces", workspace, { domain: domain?.toLowerCase() });
    return null;
  },
});

/** Close a workspace. Its owners can open it again until jobs/purge.ts deletes it. */
export const close = mutation({
  args: { workspace: v.id("workspaces") },
  returns: v.null(),
  handler: async (ctx, { workspace }) => {
    const { role } = await requireMember(ctx, workspace);
    if (role !== "owner") {
      throw fail("not_allowed");
    }
    await ctx.db.patch("workspaces", workspace, { closedAt: Date.now() });
    return null;
  },
});

export const reopen = mutation({
  args: { workspace: v.id("workspaces") },
  returns: v.null(),
  handler: async (ctx, { workspace }) => {
    const user = await requireUser(ctx);
    const member = await getMember(ctx, workspace, user._id);
    if (member?.role !== "owner") {
      throw fail("not_allowed");
    }
    await ctx.db.patch("workspaces", workspace, { closedAt: undefined });
    return null;
  },
});
