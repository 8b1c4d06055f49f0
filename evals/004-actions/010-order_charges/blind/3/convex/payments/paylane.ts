// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { CURRENCY } from "../lib/money";

/*
 * Paylane charges cards for us and gives money back. The parts of its manual that we need, in short.
 *
 * Every POST carries the header `Idempotency-Key`, a text of 8 to 64 characters.
 *
 * POST /v1/charges   { amount, currency, card, reference }
 *
 *   201  { id }       The card was charged; `id` is the charge.
 *   402  { reason }   The bank has refused. Nothing was charged.
 *   409  { error }    A request with this key is still being worked on.
 *   422  { error }    This key came before with another body. This request was not carried out.
 *   Any other status, or no answer at all: not known. The card may have been charged, or may still be.
 *
 *   A key whose request was answered with 201 or 402 gets the same answer again, at any later time, and
 *   under one key a card is charged once at most. Another key is another charge, whatever the reference.
 *
 * GET /v1/charges?reference=F-1001
 *
 *   200  { charges: [{ id, key, amount, status, reason? }] }
 *   All charges ever requested with this reference, in no certain order. `key` is the key of the request,
 *   `status` is "succeeded", "refused" or "pending". What is pending is decided within minutes. A request
 *   that is not listed two minutes after it was sent has not reached us, and will not be carried out.
 *   Any other status, or no answer at all: nothing is known.
 *
 * POST /v1/refunds   { charge, amount }
 *
 *   201  { id }       The money goes back.
 *   Any other status, or no answer at all: not known.
 *
 *   A key that was answered with 201 is answered so again, and money goes back once for each key. Another
 *   key gives money back again, as far as the charge reaches.
 */

const BASE = "https://api.paylane.test/v1";

export type Card = { amount: number; card: string; reference: string };
export type ChargeReply = { charge: string } | { refusal: string };
export type ListedCharge = {
  id: string;
  key: string;
  amount: number;
  status: "succeeded" | "refused" | "pending";
  reason?: string;
};

/** Charges a card. Throws if Paylane gives neither of the two final answers. */
export async function requestCharge(request: Card, key: string): Promise<ChargeReply> {
  const response = await post("/charges", { ...request, currency: CURRENCY }, key);
  if (response.status !== 201 && response.status !== 402) {
    throw new Error(`Paylane answered with ${response.status}`);
  }
  const body = (await response.json()) as { id?: unknown; reason?: unknown };
  if (response.status === 402) {
    return { refusal: typeof body.reason === "string" ? body.reason : "The card was refused." };
  }
  if (typeof body.id !== "string") throw new Error("Paylane named no charge");
  return { charge: body.id };
}

/** Returns all charges that were requested with a reference. Throws if Paylane does not tell. */
export async function findCharges(reference: string): Promise<ListedCharge[]> {
  const response = await fetch(`${BASE}/charges?reference=${encodeURIComponent(reference)}`, {
    headers: { Authorization: authorization() },
  });
  if (response.status !== 200) throw new Error(`Paylane answered with ${response.status}`);
  const { charges } = (await response.json()) as { charges?: unknown };
  if (!Array.isArray(charges)) throw new Error("Paylane listed no charges");
  return (charges as ListedCharge[]).map(({ id, key, amount, status, reason }) => ({
    id,
    key,
    amount,
    status,
    ...(typeof reason === "string" ? { reason } : {}),
  }));
}

/** Gives money back. Throws if Paylane does not confirm it. */
export async function requestRefund(charge: string, amount: number, key: string): Promise<void> {
  const response = await post("/refunds", { charge, amount }, key);
  if (response.status !== 201) throw new Error(`Paylane answered with ${response.status}`);
}

async function post(path: string, body: object, key: string): Promise<Response> {
  return await fetch(`${BASE}${path}`, {
    method: "POST",
    headers: {
      Authorization: authorization(),
      "Content-Type": "application/json",
      "Idempotency-Key": key,
    },
    body: JSON.stringify(body),
  });
}

function authorization(): string {
  return `Bearer ${process.env.PAYLANE_SECRET ?? ""}`;
}
