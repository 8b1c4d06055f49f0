// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Payment } from "./contract";

/** What we use of an event. Moments are still in seconds. */
export type PaywellEvent = { id: string; created: number } & (
  | { kind: "payment"; payment: Payment }
  | { kind: "credit"; credit: { reference: string; cents: number } }
);

const PAYMENT_TYPES = [
  "payment.processing",
  "payment.failed",
  "payment.succeeded",
  "payment.refunded",
];

/** Read the body of a request; null if we have no use for it. */
export function readEvent(body: Uint8Array<ArrayBuffer>): PaywellEvent | null {
  let parsed: unknown;
  try {
    // Some have a byte order mark.
    parsed = JSON.parse(new TextDecoder().decode(body).replace(/^\uFEFF/, ""));
  } catch {
    return null;
  }
  const { id, type, created, data } = fieldsOf(parsed);
  if (typeof id !== "string" || typeof type !== "string" || typeof created !== "number") {
    return null;
  }
  if (PAYMENT_TYPES.includes(type)) {
    const payment = readPayment(data);
    return payment === null ? null : { kind: "payment", id, created, payment };
  }
  if (type === "credit.granted") {
    const { reference, cents } = fieldsOf(data);
    if (typeof reference === "string" && typeof cents === "number" && Number.isInteger(cents)) {
      return { kind: "credit", id, created, credit: { reference, cents } };
    }
  }
  return null;
}

function readPayment(data: unknown): Payment | null {
  const { id, reference, version, status, cents, paidAt = null, refunds = [] } = fieldsOf(data);
  if (
    typeof id !== "string" ||
    typeof reference !== "string" ||
    typeof version !== "number" ||
    (status !== "processing" && status !== "failed" && status !== "succeeded") ||
    typeof cents !== "number" ||
    (paidAt !== null && typeof paidAt !== "number") ||
    !Array.isArray(refunds)
  ) {
    return null;
  }
  const returned: Payment["refunds"] = [];
  for (const refund of refunds as unknown[]) {
    const { cents: part, at } = fieldsOf(refund);
    if (typeof part !== "number" || typeof at !== "number") {
      return null;
    }
    returned.push({ cents: part, at });
  }
  return { id, reference, version, status, cents, paidAt, refunds: returned };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
