// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "../_generated/server";
import { requireRole, requireUser } from "../lib/access";
import { refuse } from "../lib/errors";
import { addMember, changeRole, findMember } from "../lib/members";
import { role } from "../lib/roles";

/** A link that one person may follow. */
export const create = mutation({
  args: { workspace: v.id("workspaces"), token: v.string(), role },
  handler: async (ctx, args) => {
    await requireRole(ctx, args.workspace, "admin");
    if (args.role === "owner") refuse("not_allowed");
    await ctx.db.insert("invites", args);
    return null;
  },
});

/** Follows a link. A guest gets the role of the invitation, other members stay what they are. */
export const accept = mutation({
  args: { token: v.string() },
  handler: async (ctx, { token }) => {
    const me = await requireUser(ctx);
    const invite = await ctx.db
      .query("invites")
      .withIndex("by_token", (q) => q.eq("token", token))
      .unique();
    const workspace = invite && (await ctx.db.get("workspaces", invite.workspace));
    if (invite === null || workspace === null) refuse("no_invite");
    await ctx.db.delete("invites", invite._id);
    const present = await findMember(ctx, workspace, me.user);
    if (present === undefined) {
      await addMember(ctx, workspace._id, { ...me, role: invite.role, since: Date.now() });
    } else if (present.role === "guest") {
      await changeRole(ctx, workspace._id, present, invite.role);
    }
    return workspace._id;
  },
});
