// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Payment } from "./contract";

/** An event that we have a use for. Moments are Paywell's, in seconds. */
export type PaywellEvent =
  | { kind: "payment"; id: string; created: number; payment: Payment }
  | { kind: "credit"; id: string; created: number; reference: string; cents: number };

const PAYMENT_TYPES = [
  "payment.processing",
  "payment.failed",
  "payment.succeeded",
  "payment.refunded",
];

/** Return the event that a body holds; null if it is none that we have a use for. */
export function readEvent(body: Uint8Array): PaywellEvent | null {
  const event = parse(body);
  if (!isObject(event)) {
    return null;
  }
  const { id, type, created, data } = event;
  if (typeof id !== "string" || typeof type !== "string" || typeof created !== "number") {
    return null;
  }
  if (PAYMENT_TYPES.includes(type)) {
    const payment = readPayment(data);
    return payment === null ? null : { kind: "payment", id, created, payment };
  }
  if (type === "credit.granted" && isObject(data)) {
    const { reference, cents } = data;
    return typeof reference === "string" && typeof cents === "number"
      ? { kind: "credit", id, created, reference, cents }
      : null;
  }
  return null;
}

function parse(body: Uint8Array): unknown {
  try {
    const text = new TextDecoder().decode(body);
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return null;
  }
}

function readPayment(data: unknown): Payment | null {
  if (!isObject(data)) {
    return null;
  }
  const { id, reference, version, status, cents, paidAt } = data;
  const refunds = readRefunds(data.refunds);
  if (
    typeof id !== "string" ||
    typeof reference !== "string" ||
    typeof version !== "number" ||
    (status !== "processing" && status !== "failed" && status !== "succeeded") ||
    typeof cents !== "number" ||
    refunds === null
  ) {
    return null;
  }
  const moment = typeof paidAt === "number" ? paidAt : null;
  return { id, reference, version, status, cents, paidAt: moment, refunds };
}

function readRefunds(data: unknown): Payment["refunds"] | null {
  if (!Array.isArray(data)) {
    return null;
  }
  const refunds: Payment["refunds"] = [];
  for (const refund of data as unknown[]) {
    if (!isObject(refund)) {
      return null;
    }
    const { cents, at } = refund;
    if (typeof cents !== "number" || typeof at !== "number") {
      return null;
    }
    refunds.push({ cents, at });
  }
  return refunds;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
