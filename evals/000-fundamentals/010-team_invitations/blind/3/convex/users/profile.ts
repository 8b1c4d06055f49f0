// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, internalQuery, mutation } from "../_generated/server";
import { endForMember } from "../invitations/end";
import { fail } from "../lib/errors";
import { sendMail } from "../mails";
import { leave } from "../members/roster";
import { findByAddress, keyOf, requireUser } from "./find";

/** Make an account for whoever is signed in, or return the one they have. */
export const register = mutation({
  args: { name: v.string(), email: v.string() },
  returns: v.id("users"),
  handler: async (ctx, { name, email }) => {
    const identity = await ctx.auth.getUserIdentity();
    if (identity === null) {
      throw fail("not_signed_in");
    }
    const token = identity.tokenIdentifier;
    const user = await ctx.db
      .query("users")
      .withIndex("by_token", (q) => q.eq("token", token))
      .unique();
    if (user !== null) {
      return user._id;
    }
    return await ctx.db.insert("users", { token, name, email, emailKey: keyOf(email) });
  },
});

/** Change the address, and mail the code by which our login pages verify it. */
export const changeEmail = mutation({
  args: { email: v.string() },
  returns: v.null(),
  handler: async (ctx, { email }) => {
    const user = await requireUser(ctx);
    await ctx.db.patch("users", user._id, {
      email,
      emailKey: keyOf(email),
      verifiedAt: undefined,
    });
    await sendMail(ctx, {
      to: email,
      subject: "Your new address",
      body: "Your code is {secret}.",
      secret: crypto.randomUUID().slice(0, 8),
    });
    return null;
  },
});

/** The login pages have checked that the account has its address. */
export const verify = internalMutation({
  args: { user: v.id("users") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const user = await ctx.db.get("users", args.user);
    if (user === null) {
      throw fail("not_found");
    }
    const holder = await findByAddress(ctx, user.email);
    if (holder !== null && holder._id !== user._id) {
      throw fail("address_taken");
    }
    const verifiedAt = Date.now();
    await ctx.db.patch("users", user._id, { verifiedAt });
    // From now on the address is a member's.
    const memberships = await ctx.db
      .query("members")
      .withIndex("by_user", (q) => q.eq("user", user._id))
      .take(500);
    for (const { workspace } of memberships) {
      await endForMember(ctx, workspace, { ...user, verifiedAt });
    }
    return null;
  },
});

export const deleteAccount = mutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const user = await requireUser(ctx);
    const memberships = await ctx.db
      .query("members")
      .withIndex("by_user", (q) => q.eq("user", user._id))
      .take(500);
    for (const member of memberships) {
      await leave(ctx, member);
    }
    await ctx.db.delete("users", user._id);
    return null;
  },
});

export const whoIs = internalQuery({
  args: {},
  handler: async (ctx) => {
    const { name, email } = await requireUser(ctx);
    return { name, email };
  },
});
