// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/**
 * Mails are kept when they were sent, so that people can look up what they were told.
 *
 * What only the receiver of a mail may know is its `secret`: it stands in the place of `{secret}`
 * in the mail, and nowhere else. It is forgotten once the mail was sent, or failed for good.
 */
import { v } from "convex/values";
import { internal } from "./_generated/api";
import {
  internalAction,
  internalMutation,
  internalQuery,
  query,
  type MutationCtx,
} from "./_generated/server";
import { addressOf, keyOf, requireUser } from "./users/find";

const MAIL_SERVICE = "https://mail.test/send";
const MOST_ATTEMPTS = 5;
const BETWEEN_ATTEMPTS = 60 * 1000;

export async function sendMail(
  ctx: MutationCtx,
  mail: { to: string; subject: string; body: string; secret?: string },
): Promise<void> {
  const id = await ctx.db.insert("mails", {
    ...mail,
    to: keyOf(mail.to),
    state: "waiting",
    attempts: 0,
  });
  await ctx.scheduler.runAfter(0, internal.mails.deliver, { mail: id });
}

export const deliver = internalAction({
  args: { mail: v.id("mails") },
  handler: async (ctx, { mail }): Promise<void> => {
    const content = await ctx.runQuery(internal.mails.read, { mail });
    if (content === null) {
      return;
    }
    const response = await fetch(MAIL_SERVICE, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(content),
    }).catch(() => null);
    await ctx.runMutation(internal.mails.note, { mail, isSent: response?.status === 200 });
  },
});

export const read = internalQuery({
  args: { mail: v.id("mails") },
  handler: async (ctx, args) => {
    const mail = await ctx.db.get("mails", args.mail);
    if (mail?.state !== "waiting") {
      return null;
    }
    const { to, subject, body, secret } = mail;
    return { to, subject, text: body.replace("{secret}", () => secret ?? "") };
  },
});

export const note = internalMutation({
  args: { mail: v.id("mails"), isSent: v.boolean() },
  handler: async (ctx, { mail, isSent }) => {
    const { attempts } = (await ctx.db.get("mails", mail)) ?? { attempts: 0 };
    if (isSent) {
      await ctx.db.patch("mails", mail, { state: "sent", secret: undefined });
    } else if (attempts + 1 >= MOST_ATTEMPTS) {
      await ctx.db.patch("mails", mail, { state: "failed", secret: undefined });
    } else {
      await ctx.db.patch("mails", mail, { attempts: attempts + 1 });
      await ctx.scheduler.runAfter(BETWEEN_ATTEMPTS, internal.mails.deliver, { mail });
    }
  },
});

/** The newest mails to the caller's address. */
export const mine = query({
  args: {},
  returns: v.array(v.object({ subject: v.string(), body: v.string() })),
  handler: async (ctx) => {
    const address = addressOf(await requireUser(ctx));
    if (address === null) {
      return [];
    }
    const mails = await ctx.db
      .query("mails")
      .withIndex("by_to", (q) => q.eq("to", address))
      .order("desc")
      .take(50);
    return mails.map(({ subject, body }) => ({ subject, body }));
  },
});
