// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, mutation, query } from "../_generated/server";
import { fail } from "../lib/errors";
import { mayGive } from "../lib/roles";
import { sendMail } from "../mails";
import { enter, getMember, getOpen, requireMember } from "../members/roster";
import { role } from "../schema";
import { addressOf, findByAddress, keyOf, requireUser } from "../users/find";
import { hashToken, isGood, listUnused, makeToken } from "./links";

const GOOD_FOR = 7 * 24 * 60 * 60 * 1000;

export const create = mutation({
  args: { workspace: v.id("workspaces"), email: v.string(), role },
  returns: v.id("invitations"),
  handler: async (ctx, args) => {
    const { user, role: own } = await requireMember(ctx, args.workspace);
    const workspace = await getOpen(ctx, args.workspace);
    if (workspace === null || !mayGive(own, args.role)) {
      throw fail("not_allowed");
    }
    const holder = await findByAddress(ctx, args.email);
    if (holder !== null && (await getMember(ctx, workspace._id, holder._id)) !== null) {
      throw fail("already_member");
    }
    const address = keyOf(args.email);
    for (const earlier of await listUnused(ctx, workspace._id, address)) {
      await ctx.db.delete("invitations", earlier._id);
    }
    const token = makeToken();
    await sendMail(ctx, {
      to: address,
      subject: `You are invited to ${workspace.name}`,
      body: "Join at https://app.huddle.test/join/{secret}",
      secret: token,
    });
    return await ctx.db.insert("invitations", {
      workspace: workspace._id,
      address,
      role: args.role,
      sender: user,
      hash: await hashToken(token),
      expiresAt: Date.now() + GOOD_FOR,
    });
  },
});

export const list = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(
    v.object({ _id: v.id("invitations"), email: v.string(), role, expiresAt: v.number() }),
  ),
  handler: async (ctx, { workspace }) => {
    const own = await requireMember(ctx, workspace);
    if (!mayGive(own.role, "guest")) {
      throw fail("not_allowed");
    }
    const invitations = await ctx.db
      .query("invitations")
      .withIndex("by_workspace_and_address", (q) => q.eq("workspace", workspace))
      .take(1000);
    const good = [];
    for (const invitation of invitations) {
      if (await isGood(ctx, invitation)) {
        const { _id, address, role: given, expiresAt } = invitation;
        good.push({ _id, email: address, role: given, expiresAt });
      }
    }
    return good;
  },
});

export const revoke = mutation({
  args: { invitation: v.id("invitations") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const invitation = await ctx.db.get("invitations", args.invitation);
    if (invitation === null) {
      throw fail("not_found");
    }
    const own = await requireMember(ctx, invitation.workspace);
    if (!mayGive(own.role, invitation.role)) {
      throw fail("not_allowed");
    }
    if (invitation.usedBy === undefined) {
      await ctx.db.delete("invitations", invitation._id);
    }
    return null;
  },
});

/** Make the caller a member by a token, and return the workspace. */
export const join = internalMutation({
  args: { token: v.string() },
  returns: v.id("workspaces"),
  handler: async (ctx, { token }) => {
    const user = await requireUser(ctx);
    const hash = await hashToken(token);
    const invitation = await ctx.db
      .query("invitations")
      .withIndex("by_hash", (q) => q.eq("hash", hash))
      .unique();
    if (invitation === null) {
      throw fail("not_found");
    }
    const { workspace: id } = invitation;
    const workspace = await getOpen(ctx, id);
    if (invitation.usedBy !== undefined) {
      const isTheirs = workspace !== null && invitation.usedBy === user._id;
      if (!isTheirs || (await getMember(ctx, id, user._id)) === null) {
        throw fail("not_found");
      }
      return id;
    }
    if (workspace === null || !(await isGood(ctx, invitation))) {
      throw fail("not_found");
    }
    if (addressOf(user) !== invitation.address) {
      throw fail("other_address");
    }
    await ctx.db.patch("invitations", invitation._id, { usedBy: user._id });
    await enter(ctx, workspace, user._id, invitation.role);
    return id;
  },
});
