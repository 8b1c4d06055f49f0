// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "../_generated/server";
import { nameOf, requireRole } from "../lib/access";
import { refuse } from "../lib/errors";
import { findMember, member, requireOwner } from "../lib/members";
import { role } from "../lib/roles";
import { unassign } from "../pages";

/** The page of the members shows so many. */
export const MOST_LISTED = 100;

/** The first members, in their order. */
export const list = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(member),
  handler: async (ctx, args) => {
    const { workspace } = await requireRole(ctx, args.workspace, "guest");
    return workspace.members.slice(0, MOST_LISTED);
  },
});

/** For "@": ten members whose names begin so, in whatever case, by name. */
export const suggest = query({
  args: { workspace: v.id("workspaces"), prefix: v.string() },
  handler: async (ctx, args) => {
    const { workspace } = await requireRole(ctx, args.workspace, "guest");
    return workspace.members
      .map(({ user, name }) => ({ user, name, key: name.toLowerCase() }))
      .filter(({ key }) => key.startsWith(args.prefix.toLowerCase()))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
      .slice(0, 10)
      .map(({ user, name }) => ({ user, name }));
  },
});

/** Adds somebody, as the last; who is a member already stays what they are. */
export const add = mutation({
  args: { workspace: v.id("workspaces"), user: v.string(), role },
  handler: async (ctx, { workspace: id, user, role: given }) => {
    const { workspace, me } = await requireRole(ctx, id, "admin");
    if (given === "owner" && me.role !== "owner") refuse("not_allowed");
    if (findMember(workspace, user) !== undefined) return false;
    const added = { user, name: await nameOf(ctx, user), role: given, since: Date.now() };
    await ctx.db.patch("workspaces", id, { members: [...workspace.members, added] });
    return true;
  },
});

export const setRole = mutation({
  args: { workspace: v.id("workspaces"), user: v.string(), role },
  handler: async (ctx, { workspace: id, user, role: given }) => {
    const { workspace, me } = await requireRole(ctx, id, "admin");
    const changed = findMember(workspace, user);
    if (changed === undefined) refuse("no_member");
    if ((given === "owner" || changed.role === "owner") && me.role !== "owner") {
      refuse("not_allowed");
    }
    const members = workspace.members.map((each) =>
      each.user === user ? { ...each, role: given } : each,
    );
    requireOwner(members);
    await ctx.db.patch("workspaces", id, { members });
    return null;
  },
});

/** Takes somebody out. Guests and members may only take out themselves. */
export const remove = mutation({
  args: { workspace: v.id("workspaces"), user: v.string() },
  handler: async (ctx, { workspace: id, user }) => {
    const { workspace, me } = await requireRole(ctx, id, "guest");
    if (me.user !== user && me.role !== "owner" && me.role !== "admin") refuse("not_allowed");
    const removed = findMember(workspace, user);
    if (removed === undefined) refuse("no_member");
    if (removed.role === "owner" && me.role !== "owner") refuse("not_allowed");
    const members = workspace.members.filter((each) => each.user !== user);
    requireOwner(members);
    await ctx.db.patch("workspaces", id, { members });
    await unassign(ctx, id, user);
    return null;
  },
});

/** Hands the workspace over: the new owner becomes the first, the old one an admin. */
export const transfer = mutation({
  args: { workspace: v.id("workspaces"), user: v.string() },
  handler: async (ctx, { workspace: id, user }) => {
    const { workspace, me } = await requireRole(ctx, id, "owner");
    const heir = findMember(workspace, user);
    if (heir === undefined) refuse("no_member");
    if (heir.user === me.user) return null;
    const others = workspace.members
      .filter((each) => each.user !== user)
      .map((each) => (each.user === me.user ? { ...each, role: "admin" as const } : each));
    await ctx.db.patch("workspaces", id, { members: [{ ...heir, role: "owner" }, ...others] });
    return null;
  },
});
