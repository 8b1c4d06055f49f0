// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "../_generated/server";
import { nameOf, requireRole } from "../lib/access";
import { refuse } from "../lib/errors";
import {
  countMembers,
  listMembers,
  replaceMembers,
  requireOwner,
  type Member,
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
    if (Math.max(countMembers(workspace), args.members.length) > MOST_LISTED) refuse("too_many");
    const users = new Set(args.members.map((each) => each.user));
    if (users.size < args.members.length) refuse("twice");
    const present = await listMembers(ctx, workspace, MOST_LISTED);
    const byUser = new Map(present.map((each) => [each.user, each]));
    const members: Member[] = [];
    for (const { user, role: given } of args.members) {
      const earlier = byUser.get(user);
      members.push({
        user,
        role: given,
        name: earlier?.name ?? (await nameOf(ctx, user)),
        since: earlier?.since ?? Date.now(),
      });
    }
    await replaceMembers(ctx, workspace._id, members, MOST_LISTED);
    await requireOwner(ctx, workspace._id);
    for (const { user } of present) {
      if (!users.has(user)) await unassign(ctx, workspace._id, user);
    }
    return null;
  },
});
