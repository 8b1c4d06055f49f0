// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import { internalMutation, type MutationCtx } from "../_generated/server";
import { findCustomer } from "../customers/find";
import { changeCredit, giveBack, receive } from "../ledger";
import { DAY, SECOND } from "../lib/time";
import { paymentStatus } from "../schema";
import type { Payment } from "./contract";
import { TOLERANCE } from "./signature";

const payment = v.object({
  id: v.string(),
  reference: v.string(),
  version: v.number(),
  status: paymentStatus,
  cents: v.number(),
  paidAt: v.union(v.null(), v.number()),
  refunds: v.array(v.object({ cents: v.number(), at: v.number() })),
});

const event = v.object({
  id: v.string(),
  created: v.number(),
  change: v.union(
    v.object({ kind: v.literal("payment"), payment }),
    v.object({ kind: v.literal("credit"), reference: v.string(), cents: v.number() }),
  ),
});

/** Paywell's support sends events again for so long. */
const RESENT_FOR = 30 * DAY;

/** Return the event of a body; null if it is of a type that we do not use. */
export function readEvent(body: ArrayBuffer): Infer<typeof event> | null {
  const { id, type, created, data } = JSON.parse(new TextDecoder().decode(body)) as {
    id: string;
    type: string;
    created: number;
    data: Payment;
  };
  const { reference, cents } = data ?? {};
  switch (type) {
    case "payment.processing":
    case "payment.failed":
    case "payment.succeeded":
    case "payment.refunded": {
      const refunds = data.refunds.map((refund) => ({ cents: refund.cents, at: refund.at }));
      const { version, status, paidAt } = data;
      const read = { id: data.id, reference, version, status, cents, paidAt, refunds };
      return { id, created, change: { kind: "payment", payment: read } };
    }
    case "credit.granted":
      return { id, created, change: { kind: "credit", reference, cents } };
    default:
      return null;
  }
}

export const take = internalMutation({
  args: { event },
  returns: v.null(),
  handler: async (ctx, { event: { id, created, change } }) => {
    const earlier = await ctx.db
      .query("paywellReceipts")
      .withIndex("by_event", (q) => q.eq("event", id))
      .unique();
    if (earlier !== null) {
      return null;
    }
    const comesUntil = created * SECOND + RESENT_FOR + TOLERANCE;
    await ctx.db.insert("paywellReceipts", { event: id, comesUntil });
    if (change.kind === "payment") {
      await applyPayment(ctx, change.payment);
    } else {
      const customer = await findCustomer(ctx, change.reference);
      if (customer !== null) {
        await changeCredit(ctx, customer._id, change.cents);
      }
    }
    return null;
  },
});

/** Bring an invoice and the books to the state of its payment, unless a later one is known. */
async function applyPayment(ctx: MutationCtx, said: Infer<typeof payment>): Promise<void> {
  const id = ctx.db.normalizeId("invoices", said.reference);
  const invoice = id === null ? null : await ctx.db.get("invoices", id);
  if (invoice === null) {
    return;
  }
  const known = invoice.paywell ?? { version: 0, paid: null, refunds: 0 };
  if (said.version <= known.version) {
    return;
  }
  let { paid } = known;
  if (said.paidAt !== null && paid === null) {
    paid = invoice.status === "open" ? "invoice" : "credit";
    if (paid === "invoice") {
      await receive(ctx, invoice._id, said.paidAt * SECOND);
    } else {
      await changeCredit(ctx, invoice.customer, said.cents);
    }
  }
  for (const refund of said.refunds.slice(known.refunds)) {
    if (paid === "invoice") {
      await giveBack(ctx, invoice._id, refund.cents, refund.at * SECOND);
    } else {
      await changeCredit(ctx, invoice.customer, -refund.cents);
    }
  }
  await ctx.db.patch("invoices", invoice._id, {
    paymentId: said.id,
    paymentStatus: said.status,
    paywell: { version: said.version, paid, refunds: said.refunds.length },
  });
}
