// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "../_generated/server";
import { tell } from "../activity";
import { fail } from "../lib/errors";
import { enter, getMember } from "../members/roster";
import { addressOf, requireUser } from "../users/find";
import { workspaceOf } from "./good";

/** Make the caller a member by the token of an invitation, and return the workspace. */
export const join = internalMutation({
  args: { tokenHash: v.string() },
  returns: v.id("workspaces"),
  handler: async (ctx, { tokenHash }) => {
    const user = await requireUser(ctx);
    const joined = await ctx.db
      .query("members")
      .withIndex("by_joinedWith", (q) => q.eq("joinedWith", tokenHash))
      .unique();
    if (joined?.user === user._id) {
      return joined.workspace;
    }
    const invitation = await ctx.db
      .query("invitations")
      .withIndex("by_tokenHash", (q) => q.eq("tokenHash", tokenHash))
      .unique();
    const workspace = invitation === null ? null : await workspaceOf(ctx, invitation);
    if (invitation === null || workspace === null) {
      throw fail("not_found");
    }
    if (addressOf(user) !== invitation.emailKey) {
      throw fail("other_address");
    }
    if ((await getMember(ctx, workspace._id, user._id)) !== null) {
      throw fail("not_found");
    }
    // This ends the invitation, too.
    await enter(ctx, workspace, user._id, invitation.role, tokenHash);
    await tell(ctx, workspace._id, `${user.name} joined`);
    return workspace._id;
  },
});
