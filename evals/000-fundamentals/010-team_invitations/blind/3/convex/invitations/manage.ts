// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "../_generated/server";
import { fail } from "../lib/errors";
import { mayGive, mayGiveSome } from "../lib/roles";
import { hashOf } from "../lib/tokens";
import { sendMail } from "../mails";
import { getMember, getOpen, requireMember } from "../members/roster";
import { role } from "../schema";
import { findByAddress, keyOf, requireUser } from "../users/find";
import { endFor } from "./end";
import { GOOD_FOR, isBacked } from "./good";

/** The most invitations that are listed. */
const MOST_LISTED = 1000;

/** Invite an address, and mail the link by which its owner becomes a member. */
export const create = mutation({
  args: { workspace: v.id("workspaces"), email: v.string(), role },
  returns: v.id("invitations"),
  handler: async (ctx, args) => {
    const own = await requireMember(ctx, args.workspace);
    const workspace = await getOpen(ctx, args.workspace);
    if (workspace === null || !mayGive(own.role, args.role)) {
      throw fail("not_allowed");
    }
    const user = await findByAddress(ctx, args.email);
    if (user !== null && (await getMember(ctx, workspace._id, user._id)) !== null) {
      throw fail("already_member");
    }
    const emailKey = keyOf(args.email);
    await endFor(ctx, workspace._id, emailKey);
    const token = `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "");
    const invitation = await ctx.db.insert("invitations", {
      workspace: workspace._id,
      email: args.email,
      emailKey,
      role: args.role,
      sender: own.user,
      tokenHash: await hashOf(token),
      expiresAt: Date.now() + GOOD_FOR,
    });
    await sendMail(ctx, {
      to: args.email,
      subject: `You are invited to ${workspace.name}`,
      body: "Open this link to join: https://app.huddle.test/join/{secret}",
      secret: token,
    });
    return invitation;
  },
});

/** The good invitations to a workspace, those that end first at the top. */
export const list = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(
    v.object({ _id: v.id("invitations"), email: v.string(), role, expiresAt: v.number() }),
  ),
  handler: async (ctx, { workspace }) => {
    const own = await requireMember(ctx, workspace);
    if (!mayGiveSome(own.role)) {
      throw fail("not_allowed");
    }
    const good = [];
    const lasting = ctx.db
      .query("invitations")
      .withIndex("by_workspace_and_expiresAt", (q) =>
        q.eq("workspace", workspace).gt("expiresAt", Date.now()),
      );
    for await (const invitation of lasting) {
      if (!(await isBacked(ctx, invitation))) {
        continue;
      }
      const { _id, email, expiresAt } = invitation;
      good.push({ _id, email, role: invitation.role, expiresAt });
      if (good.length === MOST_LISTED) {
        break;
      }
    }
    return good;
  },
});

export const revoke = mutation({
  args: { invitation: v.id("invitations") },
  returns: v.null(),
  handler: async (ctx, args) => {
    await requireUser(ctx);
    const invitation = await ctx.db.get("invitations", args.invitation);
    if (invitation === null) {
      throw fail("not_found");
    }
    const own = await requireMember(ctx, invitation.workspace);
    if (!mayGive(own.role, invitation.role)) {
      throw fail("not_allowed");
    }
    await ctx.db.delete("invitations", invitation._id);
    return null;
  },
});
