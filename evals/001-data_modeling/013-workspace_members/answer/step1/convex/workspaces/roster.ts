// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "../_generated/server";
import { nameOf, requireRole } from "../lib/access";
import { refuse } from "../lib/errors";
import type { Member } from "../lib/member";
import {
  countMembers,
  insertRows,
  listMembers,
  removeMember,
  requireOwner,
} from "../lib/members";
import { role } from "../lib/roles";
import { unassign } from "../pages";
import { MOST_LISTED } from "./members";

/**
 * Stores the table of members as an owner has edited it: these are the members then, in this order.
 * The page shows MOST_LISTED of them, so workspaces with more cannot be stored like this.
 */
export const save = mutation({
  args: {
    workspace: v.id("workspaces"),
    members: v.array(v.object({ user: v.string(), role })),
  },
  handler: async (ctx, args) => {
    const { workspace } = await requireRole(ctx, args.workspace, "owner");
    if (Math.max(countMembers(workspace).members, args.members.length) > MOST_LISTED) refuse("too_many");
    const users = new Set(args.members.map((each) => each.user));
    if (users.size < args.members.length) refuse("twice");
    const present = await listMembers(ctx, workspace, MOST_LISTED);
    const members: Member[] = [];
    for (const { user, role: given } of args.members) {
      const before = present.find((each) => each.user === user);
      members.push({
        user,
        role: given,
        name: before?.name ?? (await nameOf(ctx, user)),
        since: before?.since ?? Date.now(),
      });
    }
    for (const { user } of present) await removeMember(ctx, workspace._id, user);
    await insertRows(ctx, workspace._id, members);
    await requireOwner(ctx, workspace._id);
    for (const { user } of present) {
      if (!users.has(user)) await unassign(ctx, workspace._id, user);
    }
    return null;
  },
});
