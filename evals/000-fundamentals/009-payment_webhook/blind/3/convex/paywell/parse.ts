// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Payment } from "./contract";

export type PaywellEvent = { id: string; created: number } & (
  | { kind: "payment"; payment: Payment }
  | { kind: "credit"; reference: string; cents: number }
);

const PAYMENT_TYPES = [
  "payment.processing",
  "payment.failed",
  "payment.succeeded",
  "payment.refunded",
];

/** Return the event of a body; null if it is none that we have a use for. */
export function parseEvent(body: ArrayBuffer): PaywellEvent | null {
  let parsed: unknown;
  try {
    // There may be a byte order mark in front.
    parsed = JSON.parse(new TextDecoder().decode(body).replace(/^\uFEFF/, ""));
  } catch {
    return null;
  }
  if (!isRecord(parsed)) {
    return null;
  }
  const { id, type, created, data } = parsed;
  if (
    typeof id !== "string" ||
    typeof type !== "string" ||
    typeof created !== "number" ||
    !isRecord(data)
  ) {
    return null;
  }
  if (PAYMENT_TYPES.includes(type)) {
    const payment = parsePayment(data);
    return payment === null ? null : { id, created, kind: "payment", payment };
  }
  if (type === "credit.granted") {
    const { reference, cents } = data;
    return typeof reference === "string" && typeof cents === "number"
      ? { id, created, kind: "credit", reference, cents }
      : null;
  }
  return null;
}

function parsePayment(data: Record<string, unknown>): Payment | null {
  const { id, reference, version, status, cents, paidAt, refunds } = data;
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
  const parsed: Payment["refunds"] = [];
  for (const refund of refunds as unknown[]) {
    if (!isRecord(refund)) {
      return null;
    }
    const { cents: returned, at } = refund;
    if (typeof returned !== "number" || typeof at !== "number") {
      return null;
    }
    parsed.push({ cents: returned, at });
  }
  return { id, reference, version, status, cents, paidAt, refunds: parsed };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
