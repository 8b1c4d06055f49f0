// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "../_generated/server";
import { nameOf, requireRole } from "../lib/access";
import { refuse } from "../lib/errors";
import {
  addMember,
  changeMember,
  findMember,
  listMembers,
  member,
  putFirst,
  removeMember,
  requireOwner,
  suggestMembers,
} from "../lib/members";
import { role } from "../lib/roles";
import { unassign } from "../pages";

/** The page of the members shows so many. */
export const MOST_LISTED = 100;

/** The first members, in their order, or the first after one of them. */
export const list = query({
  args: { workspace: v.id("workspaces"), after: v.optional(v.string()) },
  returns: v.array(member),
  handler: async (ctx, args) => {
    const { workspace } = await requireRole(ctx, args.workspace, "guest");
    return await listMembers(ctx, workspace, MOST_LISTED, args.after);
  },
});

/** For "@": ten members whose names begin so, in whatever case, by name. */
export const suggest = query({
  args: { workspace: v.id("workspaces"), prefix: v.string() },
  handler: async (ctx, args) => {
    const { workspace } = await requireRole(ctx, args.workspace, "guest");
    const found = await suggestMembers(ctx, workspace, args.prefix, 10);
    return found.map(({ user, name }) => ({ user, name }));
  },
});

/** Adds somebody, as the last; who is a member already stays what they are. */
export const add = mutation({
  args: { workspace: v.id("workspaces"), user: v.string(), role },
  handler: async (ctx, { workspace: id, user, role: given }) => {
    const { workspace, me } = await requireRole(ctx, id, "admin");
    if (given === "owner" && me.role !== "owner") refuse("not_allowed");
    if ((await findMember(ctx, workspace, user)) !== undefined) return false;
    const name = await nameOf(ctx, user);
    await addMember(ctx, id, { user, name, role: given, since: Date.now() });
    return true;
  },
});

export const setRole = mutation({
  args: { workspace: v.id("workspaces"), user: v.string(), role },
  handler: async (ctx, { workspace: id, user, role: given }) => {
    const { workspace, me } = await requireRole(ctx, id, "admin");
    const changed = await findMember(ctx, workspace, user);
    if (changed === undefined) refuse("no_member");
    if ((given === "owner" || changed.role === "owner") && me.role !== "owner") {
      refuse("not_allowed");
    }
    await changeMember(ctx, id, user, { role: given });
    await requireOwner(ctx, id);
    return null;
  },
});

/** Takes somebody out. Guests and members may only take out themselves. */
export const remove = mutation({
  args: { workspace: v.id("workspaces"), user: v.string() },
  handler: async (ctx, { workspace: id, user }) => {
    const { workspace, me } = await requireRole(ctx, id, "guest");
    if (me.user !== user && me.role !== "owner" && me.role !== "admin") refuse("not_allowed");
    const removed = await findMember(ctx, workspace, user);
    if (removed === undefined) refuse("no_member");
    if (removed.role === "owner" && me.role !== "owner") refuse("not_allowed");
    await removeMember(ctx, id, user);
    await requireOwner(ctx, id);
    await unassign(ctx, id, user);
    return null;
  },
});

/** Hands the workspace over: the new owner becomes the first, the old one an admin. */
export const transfer = mutation({
  args: { workspace: v.id("workspaces"), user: v.string() },
  handler: async (ctx, { workspace: id, user }) => {
    const { workspace, me } = await requireRole(ctx, id, "owner");
    const heir = await findMember(ctx, workspace, user);
    if (heir === undefined) refuse("no_member");
    if (heir.user === me.user) return null;
    await changeMember(ctx, id, me.user, { role: "admin" });
    await putFirst(ctx, id, user);
    return null;
  },
});
