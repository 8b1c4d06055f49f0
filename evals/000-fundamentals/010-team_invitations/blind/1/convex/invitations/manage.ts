// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "../_generated/server";
import { fail } from "../lib/errors";
import { mayGive, mayGiveAny } from "../lib/roles";
import { digestOf, newToken } from "../lib/tokens";
import { sendMail } from "../mails";
import { getMember, getOpen, requireMember } from "../members/roster";
import { role } from "../schema";
import { findByAddress, keyOf, requireUser } from "../users/find";
import { GOOD_FOR, isGood } from "./good";
import { dropInvitations } from "./over";

const MOST_LISTED = 500;

/** Mail somebody a link by which they become a member, with or without an account yet. */
export const create = mutation({
  args: { workspace: v.id("workspaces"), email: v.string(), role },
  returns: v.id("invitations"),
  handler: async (ctx, args) => {
    const own = await requireMember(ctx, args.workspace);
    const workspace = await getOpen(ctx, args.workspace);
    if (workspace === null || !mayGive(own.role, args.role)) {
      throw fail("not_allowed");
    }
    const holder = await findByAddress(ctx, args.email);
    if (holder !== null && (await getMember(ctx, workspace._id, holder._id)) !== null) {
      throw fail("already_member");
    }
    const emailKey = keyOf(args.email);
    await dropInvitations(ctx, workspace._id, emailKey);
    const token = newToken();
    const invitation = await ctx.db.insert("invitations", {
      workspace: workspace._id,
      email: args.email.trim(),
      emailKey,
      role: args.role,
      sender: own.user,
      digest: await digestOf(token),
      expiresAt: Date.now() + GOOD_FOR,
    });
    await sendMail(ctx, {
      to: args.email,
      subject: `Invitation to ${workspace.name}`,
      body: "Join the workspace by this link: https://app.huddle.test/join/{secret}",
      secret: token,
    });
    return invitation;
  },
});

/** The good invitations, for members who may give some role. */
export const list = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(
    v.object({ _id: v.id("invitations"), email: v.string(), role, expiresAt: v.number() }),
  ),
  handler: async (ctx, { workspace }) => {
    const own = await requireMember(ctx, workspace);
    if (!mayGiveAny(own.role)) {
      throw fail("not_allowed");
    }
    const good = [];
    const invitations = ctx.db
      .query("invitations")
      .withIndex("by_workspace_and_expiresAt", (q) =>
        q.eq("workspace", workspace).gt("expiresAt", Date.now()),
      );
    for await (const invitation of invitations) {
      if (good.length === MOST_LISTED) {
        break;
      }
      if (await isGood(ctx, invitation)) {
        const { _id, email, role: given, expiresAt } = invitation;
        good.push({ _id, email, role: given, expiresAt });
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
