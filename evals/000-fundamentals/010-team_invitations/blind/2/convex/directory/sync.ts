// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "../_generated/server";
import { SEATS } from "../lib/plans";
import { endInvitationOf, getMember, getOpen } from "../members/roster";
import { findByAddress } from "../users/find";

/**
 * Take over the people of a company's directory as members of its workspace. Whoever has no
 * account yet is left out until they have one; nobody is taken out.
 *
 * A directory has up to 200 people. So the seats are counted once, in the end, and those for whom
 * there is none left are returned.
 */
export const takeOver = internalMutation({
  args: { workspace: v.string(), emails: v.array(v.string()) },
  handler: async (ctx, { workspace: text, emails }) => {
    const id = ctx.db.normalizeId("workspaces", text);
    const workspace = id === null ? null : await getOpen(ctx, id);
    if (workspace === null) {
      return null;
    }
    const left: string[] = [];
    let { seatsTaken } = workspace;
    for (const email of emails.slice(0, 200)) {
      const user = await findByAddress(ctx, email);
      if (user === null || (await getMember(ctx, workspace._id, user._id)) !== null) {
        continue;
      }
      if (seatsTaken >= SEATS[workspace.plan]) {
        left.push(email);
        continue;
      }
      seatsTaken += 1;
      await ctx.db.insert("members", {
        workspace: workspace._id,
        user: user._id,
        role: "member",
      });
      await endInvitationOf(ctx, workspace._id, user._id);
    }
    await ctx.db.patch("workspaces", workspace._id, { seatsTaken });
    return { left };
  },
});
