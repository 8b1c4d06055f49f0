// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, type MutationCtx } from "../_generated/server";
import { findCustomer } from "../customers/find";
import { changeCredit, giveBack, receive } from "../ledger";
import { DAY, SECOND } from "../lib/time";
import { paymentStatus } from "../schema";
import type { Payment } from "./contract";
import { TOLERANCE } from "./signature";

/** How long after its creation an event may be sent. */
const SENT_FOR = 30 * DAY;

const event = { id: v.string(), created: v.number() };

/** Take an event about a payment. */
export const takePayment = internalMutation({
  args: {
    ...event,
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
    if (await isTaken(ctx, id)) {
      return null;
    }
    if (await enterPayment(ctx, payment)) {
      await leaveReceipt(ctx, id, created);
    }
    return null;
  },
});

/** Take an event about a gift of Paywell to a customer. */
export const takeCredit = internalMutation({
  args: { ...event, reference: v.string(), cents: v.number() },
  returns: v.null(),
  handler: async (ctx, { id, created, reference, cents }) => {
    if (await isTaken(ctx, id)) {
      return null;
    }
    const customer = await findCustomer(ctx, reference);
    if (customer !== null) {
      await changeCredit(ctx, customer._id, cents);
      await leaveReceipt(ctx, id, created);
    }
    return null;
  },
});

async function isTaken(ctx: MutationCtx, id: string): Promise<boolean> {
  const receipt = await ctx.db
    .query("paywellReceipts")
    .withIndex("by_event", (q) => q.eq("event", id))
    .first();
  return receipt !== null;
}

async function leaveReceipt(ctx: MutationCtx, id: string, created: number): Promise<void> {
  // What is signed at the last moment is taken a little later, too.
  const until = created * SECOND + SENT_FOR + TOLERANCE;
  await ctx.db.insert("paywellReceipts", { event: id, until });
}

/**
 * Bring what is new of a payment into the books. Each event has the whole payment: one that was
 * overtaken has nothing new. Return whether there is the invoice.
 */
async function enterPayment(ctx: MutationCtx, payment: Payment): Promise<boolean> {
  const id = ctx.db.normalizeId("invoices", payment.reference);
  const invoice = id === null ? null : await ctx.db.get("invoices", id);
  if (invoice === null) {
    return false;
  }
  const known = invoice.paywell ?? { version: 0, refunds: 0 };
  if (payment.version <= known.version) {
    return true;
  }
  let booked = known.booked;
  let refunds = known.refunds;
  if (payment.status === "succeeded" && payment.paidAt !== null) {
    if (booked === undefined) {
      if (invoice.status === "open") {
        booked = "invoice";
        await receive(ctx, invoice._id, payment.paidAt * SECOND);
      } else {
        booked = "credit";
        await changeCredit(ctx, invoice.customer, payment.cents);
      }
    }
    for (const { cents, at } of payment.refunds.slice(refunds)) {
      if (booked === "invoice") {
        await giveBack(ctx, invoice._id, cents, at * SECOND);
      } else {
        await changeCredit(ctx, invoice.customer, -cents);
      }
      refunds += 1;
    }
  }
  await ctx.db.patch("invoices", invoice._id, {
    paymentStatus: payment.status,
    paywell: { version: payment.version, booked, refunds },
  });
  return true;
}
