// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "../_generated/server";
import { tell } from "../activity";
import { fail } from "../lib/errors";
import { digestOf } from "../lib/tokens";
import { enter, getMember, getOpen } from "../members/roster";
import { addressOf, requireUser } from "../users/find";
import { isGood } from "./good";

/** Make the caller a member, who has opened the link of an invitation. */
export const run = internalMutation({
  args: { token: v.string() },
  returns: v.object({ workspace: v.id("workspaces") }),
  handler: async (ctx, { token }) => {
    const user = await requireUser(ctx);
    const digest = await digestOf(token);

    // Who joined by this link before gets the same reply: the link stands at their membership.
    const joined = await ctx.db
      .query("members")
      .withIndex("by_invitation", (q) => q.eq("invitation", digest))
      .unique();
    if (joined?.user === user._id && (await getOpen(ctx, joined.workspace)) !== null) {
      return { workspace: joined.workspace };
    }

    const invitation = await ctx.db
      .query("invitations")
      .withIndex("by_digest", (q) => q.eq("digest", digest))
      .unique();
    const workspace = invitation === null ? null : await getOpen(ctx, invitation.workspace);
    if (invitation === null || workspace === null || !(await isGood(ctx, invitation))) {
      throw fail("not_found");
    }
    if (addressOf(user) !== invitation.emailKey) {
      throw fail("other_address");
    }
    if ((await getMember(ctx, workspace._id, user._id)) !== null) {
      throw fail("not_found");
    }
    // This ends the invitation, too: its address is a member's.
    await enter(ctx, workspace, user._id, invitation.role, digest);
    await tell(ctx, workspace._id, `${user.name} joined`);
    return { workspace: workspace._id };
  },
});
