// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation, mutation, query } from "../_generated/server";
import { requireRole, requireUser } from "../lib/access";
import { refuse } from "../lib/errors";
import {
  addMember,
  countMembers,
  countSeats,
  listWorkspaces,
  storeRoster,
  type Roster,
} from "../lib/members";

const BATCH = 100;
/** Each is read and deleted. */
const MEMBERS_BATCH = 50;

export const create = mutation({
  args: { slug: v.string(), name: v.string() },
  handler: async (ctx, { slug, name }) => {
    const me = await requireUser(ctx);
    const taken = await ctx.db
      .query("workspaces")
      .withIndex("by_slug", (q) => q.eq("slug", slug))
      .unique();
    if (taken !== null) refuse("slug_taken");
    const id = await ctx.db.insert("workspaces", { slug, name, size: 0, seats: 0 });
    const roster: Roster = { _id: id, members: [], size: 0, seats: 0 };
    await addMember(ctx, roster, { ...me, role: "owner", since: Date.now() });
    await storeRoster(ctx, roster);
    return id;
  },
});

/** The head of every page: what the workspace is called, how large it is, and what one may do. */
export const get = query({
  args: { workspace: v.id("workspaces") },
  handler: async (ctx, args) => {
    const { workspace, me } = await requireRole(ctx, args.workspace, "guest");
    return {
      slug: workspace.slug,
      name: workspace.name,
      members: countMembers(workspace),
      seats: countSeats(workspace),
      role: me.role,
    };
  },
});

/** The caller's workspaces, by name. */
export const mine = query({
  args: {},
  handler: async (ctx) => {
    const { user } = await requireUser(ctx);
    return (await listWorkspaces(ctx, user))
      .map(({ workspace, me }) => ({
        workspace: workspace._id,
        name: workspace.name,
        role: me.role,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  },
});

export const rename = mutation({
  args: { workspace: v.id("workspaces"), name: v.string() },
  handler: async (ctx, { workspace, name }) => {
    await requireRole(ctx, workspace, "admin");
    await ctx.db.patch("workspaces", workspace, { name });
    return null;
  },
});

export const remove = mutation({
  args: { workspace: v.id("workspaces") },
  handler: async (ctx, { workspace }) => {
    await requireRole(ctx, workspace, "owner");
    await ctx.db.delete("workspaces", workspace);
    await ctx.scheduler.runAfter(0, internal.workspaces.workspaces.sweep, { workspace });
    return null;
  },
});

/** Deletes what belonged to a workspace that is gone; invoices stay. */
export const sweep = internalMutation({
  args: { workspace: v.id("workspaces") },
  handler: async (ctx, { workspace }) => {
    const pages = await ctx.db
      .query("pages")
      .withIndex("by_workspace_and_assignee", (q) => q.eq("workspace", workspace))
      .take(BATCH);
    for (const page of pages) await ctx.db.delete("pages", page._id);
    const invites = await ctx.db
      .query("invites")
      .withIndex("by_workspace", (q) => q.eq("workspace", workspace))
      .take(BATCH);
    for (const invite of invites) await ctx.db.delete("invites", invite._id);
    const members = await ctx.db
      .query("members")
      .withIndex("by_workspace_and_order", (q) => q.eq("workspace", workspace))
      .take(MEMBERS_BATCH);
    for (const member of members) await ctx.db.delete("members", member._id);
    if (pages.length + invites.length + members.length === 0) return;
    await ctx.scheduler.runAfter(0, internal.workspaces.workspaces.sweep, { workspace });
  },
});
