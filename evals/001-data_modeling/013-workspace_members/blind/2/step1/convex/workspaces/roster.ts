// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "../_generated/server";
import { nameOf, requireRole } from "../lib/access";
import { refuse } from "../lib/errors";
import {
  countMembers,
  listMembers,
  MOST_LISTED,
  openRoster,
  replaceMembers,
  requireOwner,
  storeRoster,
  type Member,
} from "../lib/members";
import { role } from "../lib/roles";
import { unassign } from "../pages";

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
    if (Math.max(countMembers(workspace), args.members.length) > MOST_LISTED) refuse("too_many");
    const users = new Set(args.members.map((each) => each.user));
    if (users.size < args.members.length) refuse("twice");
    const before = await listMembers(ctx, workspace);
    const members: Member[] = [];
    for (const { user, role: given } of args.members) {
      const present = before.find((each) => each.user === user);
      members.push({
        user,
        role: given,
        name: present?.name ?? (await nameOf(ctx, user)),
        since: present?.since ?? Date.now(),
      });
    }
    const roster = openRoster(workspace);
    await replaceMembers(ctx, roster, members);
    await requireOwner(ctx, roster);
    await storeRoster(ctx, roster);
    for (const { user } of before) {
      if (!users.has(user)) await unassign(ctx, workspace._id, user);
    }
    return null;
  },
});
