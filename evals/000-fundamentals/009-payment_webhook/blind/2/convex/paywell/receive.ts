// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, type MutationCtx } from "../_generated/server";
import { findCustomer } from "../customers/find";
import { changeCredit, giveBack, receive } from "../ledger";
import { DAY, SECOND } from "../lib/time";
import { paymentStatus } from "../schema";
import { TOLERANCE } from "./signature";

/** How long after its creation Paywell can send an event. */
const SENT_FOR = 30 * DAY;

/** Take what an event says of a payment. Moments are Paywell's, in seconds. */
export const payment = internalMutation({
  args: {
    id: v.string(),
    created: v.number(),
    payment: v.object({
      id: v.string(),
      reference: v.string(),
      version: v.number(),
      status: paymentStatus,
      cents: v.number(),
      paidAt: v.union(v.null(), v.number()),
      refunds: v.array(v.object({ cents: v.number(), at: v.number() })),
    }),
  },
  returns: v.null(),
  handler: async (ctx, { id: event, created, payment: said }) => {
    const id = ctx.db.normalizeId("invoices", said.reference);
    const invoice = id === null ? null : await ctx.db.get("invoices", id);
    if (invoice === null || (await ctx.db.get("customers", invoice.customer)) === null) {
      return null;
    }
    if (!(await isFirst(ctx, event, created))) {
      return null;
    }
    const known = invoice.paywell ?? { version: 0, money: null, refunds: 0 };
    if (said.version <= known.version) {
      return null;
    }
    let money = known.money;
    if (money === null && said.status === "succeeded") {
      if (invoice.status === "open") {
        await receive(ctx, invoice._id, (said.paidAt ?? created) * SECOND);
        money = "invoice";
      } else {
        await changeCredit(ctx, invoice.customer, said.cents);
        money = "credit";
      }
    }
    let refunds = known.refunds;
    if (money !== null) {
      for (const { cents, at } of said.refunds.slice(refunds)) {
        if (money === "invoice") {
          await giveBack(ctx, invoice._id, cents, at * SECOND);
        } else {
          await changeCredit(ctx, invoice.customer, -cents);
        }
        refunds += 1;
      }
    }
    await ctx.db.patch("invoices", invoice._id, {
      paymentId: said.id,
      paymentStatus: said.status,
      paywell: { version: said.version, money, refunds },
    });
    return null;
  },
});

/** Take a gift of Paywell to a customer. */
export const credit = internalMutation({
  args: { id: v.string(), created: v.number(), reference: v.string(), cents: v.number() },
  returns: v.null(),
  handler: async (ctx, { id: event, created, reference, cents }) => {
    const customer = await findCustomer(ctx, reference);
    if (customer !== null && (await isFirst(ctx, event, created))) {
      await changeCredit(ctx, customer._id, cents);
    }
    return null;
  },
});

/** Leave a receipt of an event, and return true; if there is one already, return false. */
async function isFirst(ctx: MutationCtx, event: string, created: number): Promise<boolean> {
  const receipt = await ctx.db
    .query("paywellReceipts")
    .withIndex("by_event", (q) => q.eq("event", event))
    .unique();
  if (receipt !== null) {
    return false;
  }
  const until = created * SECOND + SENT_FOR + TOLERANCE;
  await ctx.db.insert("paywellReceipts", { event, until });
  return true;
}
