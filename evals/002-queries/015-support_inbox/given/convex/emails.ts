// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { internalMutation, mutation, query, type QueryCtx } from "./_generated/server";
import { checkUntil, requireAgent } from "./model/agents";
import { compareRows, emailRow, row } from "./model/rows";

async function requireEmail(ctx: QueryCtx, id: Id<"emails">) {
  await requireAgent(ctx);
  const email = await ctx.db.get("emails", id);
  if (email === null) throw new ConvexError("no such email");
  return email;
}

/** What lies in the inbox at a moment; what is snoozed until later is not shown. */
export const list = query({
  args: { now: v.number() },
  returns: v.array(row),
  handler: async (ctx, { now }) => {
    await requireAgent(ctx);
    const emails = await ctx.db
      .query("emails")
      .withIndex("by_folder", (q) => q.eq("folder", "inbox"))
      .collect();
    const shown = emails.filter(
      ({ duplicateOf, snoozedUntil }) => duplicateOf === undefined && (snoozedUntil ?? 0) <= now,
    );
    return (await Promise.all(shown.map((email) => emailRow(ctx, email)))).sort(compareRows);
  },
});

/** A mail from the mail server; one that was there before is kept as a duplicate. */
export const receive = internalMutation({
  args: { from: v.string(), subject: v.string(), body: v.string(), messageId: v.string() },
  returns: v.id("emails"),
  handler: async (ctx, { from, ...mail }) => {
    const sender = await ctx.db
      .query("customers")
      .withIndex("by_email", (q) => q.eq("email", from))
      .first();
    const customer =
      sender?._id ?? (await ctx.db.insert("customers", { name: from, email: from }));
    const same = await ctx.db
      .query("emails")
      .withIndex("by_message", (q) => q.eq("messageId", mail.messageId))
      .first();
    return await ctx.db.insert("emails", {
      ...mail,
      customer,
      folder: "inbox",
      receivedAt: Date.now(),
      read: false,
      pinned: false,
      duplicateOf: same?._id,
    });
  },
});

export const move = mutation({
  args: {
    email: v.id("emails"),
    folder: v.union(v.literal("inbox"), v.literal("archive"), v.literal("trash")),
  },
  returns: v.null(),
  handler: async (ctx, { email, folder }) => {
    await requireEmail(ctx, email);
    await ctx.db.patch("emails", email, { folder });
    return null;
  },
});

export const pin = mutation({
  args: { email: v.id("emails"), pinned: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { email, pinned }) => {
    await requireEmail(ctx, email);
    await ctx.db.patch("emails", email, { pinned });
    return null;
  },
});

export const assign = mutation({
  args: { email: v.id("emails"), assignee: v.union(v.id("agents"), v.null()) },
  returns: v.null(),
  handler: async (ctx, { email, assignee }) => {
    await requireEmail(ctx, email);
    await ctx.db.patch("emails", email, { assignee });
    return null;
  },
});

export const snooze = mutation({
  args: { email: v.id("emails"), until: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { email, until }) => {
    await requireEmail(ctx, email);
    if (until !== undefined) checkUntil(until);
    await ctx.db.patch("emails", email, { snoozedUntil: until });
    return null;
  },
});

export const markRead = mutation({
  args: { email: v.id("emails"), read: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { email, read }) => {
    await requireEmail(ctx, email);
    await ctx.db.patch("emails", email, { read });
    return null;
  },
});
