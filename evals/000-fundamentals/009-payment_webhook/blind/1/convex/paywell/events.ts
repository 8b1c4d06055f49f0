// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import { findCustomer } from "../customers/find";
import { internalMutation, type MutationCtx } from "../_generated/server";
import { changeCredit, giveBack, receive } from "../ledger";
import { DAY, SECOND } from "../lib/time";
import { paymentStatus } from "../schema";
import { TOLERANCE } from "./signature";

/** Paywell's support can send an event again until so long after it was created. */
const SENT_AGAIN = 30 * DAY;

/** Note that we take an event. Return false if we took it before. `created` is in seconds. */
async function note(ctx: MutationCtx, event: string, created: number): Promise<boolean> {
  const earlier = await ctx.db
    .query("paywellReceipts")
    .withIndex("by_event", (q) => q.eq("event", event))
    .first();
  if (earlier !== null) {
    return false;
  }
  const until = created * SECOND + SENT_AGAIN + TOLERANCE;
  await ctx.db.insert("paywellReceipts", { event, until });
  return true;
}

/**
 * Bring an invoice to what an event says of its payment, unless a later event did already: each tells
 * the whole payment, so that the one with the highest version is enough.
 */
export const takePayment = internalMutation({
  args: {
    id: v.string(),
    created: v.number(),
    payment: v.object({
      id: v.string(),
      reference: v.string(),
      version: v.number(),
      status: paymentStatus,
      cents: v.number(),
      paidAt: v.union(v.number(), v.null()),
      refunds: v.array(v.object({ cents: v.number(), at: v.number() })),
    }),
  },
  returns: v.null(),
  handler: async (ctx, { id, created, payment }) => {
    const invoiceId = ctx.db.normalizeId("invoices", payment.reference);
    const invoice = invoiceId === null ? null : await ctx.db.get("invoices", invoiceId);
    if (invoice === null || !(await note(ctx, id, created))) {
      return null;
    }
    const known: NonNullable<Doc<"invoices">["paywell"]> = invoice.paywell ?? {
      version: 0,
      refunds: 0,
    };
    if (payment.version <= known.version) {
      return null;
    }
    let { money, refunds } = known;
    if (money === undefined && payment.status === "succeeded" && payment.paidAt !== null) {
      if (invoice.status === "open") {
        money = "invoice";
        await receive(ctx, invoice._id, payment.paidAt * SECOND);
      } else {
        money = "credit";
        await changeCredit(ctx, invoice.customer, payment.cents);
      }
    }
    if (money !== undefined) {
      for (const { cents, at } of payment.refunds.slice(refunds)) {
        if (money === "invoice") {
          await giveBack(ctx, invoice._id, cents, at * SECOND);
        } else {
          await changeCredit(ctx, invoice.customer, -cents);
        }
        refunds += 1;
      }
    }
    await ctx.db.patch("invoices", invoice._id, {
      paymentStatus: payment.status,
      paywell: { version: payment.version, money, refunds },
    });
    return null;
  },
});

/** Give a customer what Paywell gives them, once. */
export const takeCredit = internalMutation({
  args: {
    id: v.string(),
    created: v.number(),
    credit: v.object({ reference: v.string(), cents: v.number() }),
  },
  returns: v.null(),
  handler: async (ctx, { id, created, credit }) => {
    const customer = await findCustomer(ctx, credit.reference);
    if (customer !== null && (await note(ctx, id, created))) {
      await changeCredit(ctx, customer._id, credit.cents);
    }
    return null;
  },
});
