// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/**
 * Invitations to a workspace by a link that is mailed. What is stored of the token in the link is a
 * hash.
 *
 * An invitation that is over because its address is a member's is deleted by members/roster.ts and
 * users/profile.ts. Members keep the hash of the token by which they joined: so a join can be
 * repeated as long as they are in.
 */
import { v } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import { internalMutation, mutation, query, type QueryCtx } from "../_generated/server";
import { tell } from "../activity";
import { fail } from "../lib/errors";
import { mayGive, type Role } from "../lib/roles";
import { sendMail } from "../mails";
import { enter, getMember, getOpen, requireMember } from "../members/roster";
import { role } from "../schema";
import { addressOf, findByAddress, keyOf, requireUser } from "../users/find";
import { endInvitation, hashOf } from "./store";

const GOOD_FOR = 7 * 24 * 60 * 60 * 1000;
const MOST_LISTED = 1000;
const ROLES: readonly Role[] = ["owner", "admin", "member", "guest"];

/** Invite an address, and mail the link to it. */
export const create = mutation({
  args: { workspace: v.id("workspaces"), email: v.string(), role },
  returns: v.id("invitations"),
  handler: async (ctx, args) => {
    const own = await requireMember(ctx, args.workspace);
    if (!mayGive(own.role, args.role)) {
      throw fail("not_allowed");
    }
    const holder = await findByAddress(ctx, args.email);
    if (holder !== null && (await getMember(ctx, args.workspace, holder._id)) !== null) {
      throw fail("already_member");
    }
    const email = keyOf(args.email);
    await endInvitation(ctx, args.workspace, email);
    const token = `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "");
    const id = await ctx.db.insert("invitations", {
      workspace: args.workspace,
      email,
      role: args.role,
      sender: own.user,
      tokenHash: await hashOf(token),
      expiresAt: Date.now() + GOOD_FOR,
    });
    // Nothing that people type stands in the body: it could contain the place of the secret.
    await sendMail(ctx, {
      to: email,
      subject: "You are invited to a workspace",
      body: "Join the workspace: https://app.huddle.test/join/{secret}",
      secret: token,
    });
    return id;
  },
});

/** The good invitations to a workspace. */
export const list = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(
    v.object({ _id: v.id("invitations"), email: v.string(), role, expiresAt: v.number() }),
  ),
  handler: async (ctx, { workspace }) => {
    const own = await requireMember(ctx, workspace);
    if (!ROLES.some((given) => mayGive(own.role, given))) {
      throw fail("not_allowed");
    }
    const senders = new Map<Id<"users">, Doc<"members"> | null>();
    const good: { _id: Id<"invitations">; email: string; role: Role; expiresAt: number }[] = [];
    const invitations = ctx.db
      .query("invitations")
      .withIndex("by_workspace_and_expiresAt", (q) =>
        q.eq("workspace", workspace).gt("expiresAt", Date.now()),
      );
    for await (const invitation of invitations) {
      let sender = senders.get(invitation.sender);
      if (sender === undefined) {
        sender = await getMember(ctx, workspace, invitation.sender);
        senders.set(invitation.sender, sender);
      }
      if (sender === null || !mayGive(sender.role, invitation.role)) {
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

/** Make the caller a member, who has opened the link. Called by `POST /join`. */
export const join = internalMutation({
  args: { token: v.string() },
  returns: v.object({ workspace: v.id("workspaces") }),
  handler: async (ctx, { token }) => {
    const user = await requireUser(ctx);
    const tokenHash = await hashOf(token);
    const joined = await ctx.db
      .query("members")
      .withIndex("by_joinedWith", (q) => q.eq("joinedWith", tokenHash))
      .unique();
    if (joined?.user === user._id && (await getOpen(ctx, joined.workspace)) !== null) {
      return { workspace: joined.workspace };
    }
    const invitation = await ctx.db
      .query("invitations")
      .withIndex("by_tokenHash", (q) => q.eq("tokenHash", tokenHash))
      .unique();
    const workspace = invitation === null ? null : await getGoal(ctx, invitation);
    if (invitation === null || workspace === null) {
      throw fail("not_found");
    }
    if (addressOf(user) !== invitation.email) {
      throw fail("other_address");
    }
    // This ends the invitation.
    await enter(ctx, workspace, user._id, invitation.role, tokenHash);
    await tell(ctx, workspace._id, `${user.name} joined`);
    return { workspace: workspace._id };
  },
});

/** Return the workspace to which an invitation is good; null if it is not good. */
async function getGoal(
  ctx: QueryCtx,
  invitation: Doc<"invitations">,
): Promise<Doc<"workspaces"> | null> {
  if (invitation.expiresAt <= Date.now()) {
    return null;
  }
  const sender = await getMember(ctx, invitation.workspace, invitation.sender);
  if (sender === null || !mayGive(sender.role, invitation.role)) {
    return null;
  }
  return await getOpen(ctx, invitation.workspace);
}
