// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "../_generated/server";
import { nameOf, requireRole } from "../lib/access";
import { refuse } from "../lib/errors";
import {
  addMember,
  changeRole,
  findMember,
  listMembers,
  makeFirstOwner,
  member,
  openRoster,
  removeMember,
  requireOwner,
  storeRoster,
  suggestMembers,
} from "../lib/members";
import { role } from "../lib/roles";
import { unassign } from "../pages";

/** The first members, in their order, or the first after a user. */
export const list = query({
  args: { workspace: v.id("workspaces"), after: v.optional(v.string()) },
  returns: v.array(member),
  handler: async (ctx, args) => {
    const { workspace } = await requireRole(ctx, args.workspace, "guest");
    return await listMembers(ctx, workspace, args.after);
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
    const roster = openRoster(workspace);
    if ((await findMember(ctx, roster, user)) !== undefined) return false;
    const name = await nameOf(ctx, user);
    await addMember(ctx, roster, { user, name, role: given, since: Date.now() });
    await storeRoster(ctx, roster);
    return true;
  },
});

export const setRole = mutation({
  args: { workspace: v.id("workspaces"), user: v.string(), role },
  handler: async (ctx, { workspace: id, user, role: given }) => {
    const { workspace, me } = await requireRole(ctx, id, "admin");
    const roster = openRoster(workspace);
    const changed = await findMember(ctx, roster, user);
    if (changed === undefined) refuse("no_member");
    if ((given === "owner" || changed.role === "owner") && me.role !== "owner") {
      refuse("not_allowed");
    }
    await changeRole(ctx, roster, changed, given);
    await requireOwner(ctx, roster);
    await storeRoster(ctx, roster);
    return null;
  },
});

/** Takes somebody out. Guests and members may only take out themselves. */
export const remove = mutation({
  args: { workspace: v.id("workspaces"), user: v.string() },
  handler: async (ctx, { workspace: id, user }) => {
    const { workspace, me } = await requireRole(ctx, id, "guest");
    if (me.user !== user && me.role !== "owner" && me.role !== "admin") refuse("not_allowed");
    const roster = openRoster(workspace);
    const removed = await findMember(ctx, roster, user);
    if (removed === undefined) refuse("no_member");
    if (removed.role === "owner" && me.role !== "owner") refuse("not_allowed");
    await removeMember(ctx, roster, removed);
    await requireOwner(ctx, roster);
    await storeRoster(ctx, roster);
    await unassign(ctx, id, user);
    return null;
  },
});

/** Hands the workspace over: the new owner becomes the first, the old one an admin. */
export const transfer = mutation({
  args: { workspace: v.id("workspaces"), user: v.string() },
  handler: async (ctx, { workspace: id, user }) => {
    const { workspace, me } = await requireRole(ctx, id, "owner");
    const roster = openRoster(workspace);
    const heir = await findMember(ctx, roster, user);
    if (heir === undefined) refuse("no_member");
    if (heir.user === me.user) return null;
    await changeRole(ctx, roster, me, "admin");
    await makeFirstOwner(ctx, roster, heir);
    await storeRoster(ctx, roster);
    return null;
  },
});
