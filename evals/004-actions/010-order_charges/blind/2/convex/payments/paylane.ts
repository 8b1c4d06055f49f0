// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
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

/** After this time we no longer wait for an answer. */
const TIMEOUT_MS = 20 * 1000;

const REFUSED = "The card was refused.";

export const chargeOutcome = v.union(
  v.object({
    key: v.string(),
    status: v.literal("succeeded"),
    id: v.string(),
    amount: v.number(),
  }),
  v.object({ key: v.string(), status: v.literal("refused"), reason: v.string() }),
  v.object({ key: v.string(), status: v.literal("pending") }),
);

export type ChargeOutcome = Infer<typeof chargeOutcome>;
export type ChargeRequest = { amount: number; card: string; reference: string };

/** Charges a card. Throws if Paylane gives neither of the two final answers. */
export async function requestCharge(
  { amount, card, reference }: ChargeRequest,
  key: string,
): Promise<ChargeOutcome> {
  const { status, body } = await post(
    "/charges",
    { amount, currency: CURRENCY, card, reference },
    key,
  );
  const id = fieldOf(body, "id");
  if (status === 201 && typeof id === "string") return { key, status: "succeeded", id, amount };
  if (status === 402) return { key, status: "refused", reason: reasonOf(body) };
  throw new Error(`Paylane answered with ${status}`);
}

/** Returns all charges ever requested for an order. Throws if Paylane does not tell. */
export async function listCharges(reference: string): Promise<ChargeOutcome[]> {
  const { status, body } = await send(`/charges?reference=${encodeURIComponent(reference)}`, {
    method: "GET",
    headers: { Authorization: authorization() },
  });
  if (status !== 200) throw new Error(`Paylane answered with ${status}`);
  const charges = fieldOf(body, "charges");
  if (!Array.isArray(charges)) throw new Error("Paylane's list cannot be read");
  return charges.map(readCharge);
}

/** Gives money back. Throws if Paylane does not confirm it. */
export async function requestRefund(charge: string, amount: number, key: string): Promise<void> {
  const { status } = await post("/refunds", { charge, amount }, key);
  if (status !== 201) throw new Error(`Paylane answered with ${status}`);
}

function readCharge(charge: unknown): ChargeOutcome {
  const key = fieldOf(charge, "key");
  const status = fieldOf(charge, "status");
  if (typeof key === "string") {
    if (status === "pending") return { key, status };
    if (status === "refused") return { key, status, reason: reasonOf(charge) };
    const id = fieldOf(charge, "id");
    const amount = fieldOf(charge, "amount");
    if (status === "succeeded" && typeof id === "string" && typeof amount === "number") {
      return { key, status, id, amount };
    }
  }
  throw new Error("Paylane's list cannot be read");
}

function fieldOf(body: unknown, name: string): unknown {
  if (typeof body !== "object" || body === null) return undefined;
  return (body as Record<string, unknown>)[name];
}

function reasonOf(body: unknown): string {
  const reason = fieldOf(body, "reason");
  return typeof reason === "string" ? reason : REFUSED;
}

type Reply = { status: number; body: unknown };

const authorization = (): string => `Bearer ${process.env.PAYLANE_SECRET ?? ""}`;

async function post(path: string, body: object, key: string): Promise<Reply> {
  return await send(path, {
    method: "POST",
    headers: {
      Authorization: authorization(),
      "Content-Type": "application/json",
      "Idempotency-Key": key,
    },
    body: JSON.stringify(body),
  });
}

/** Sends a request and reads the reply. Throws if that takes too long. */
async function send(path: string, init: RequestInit): Promise<Reply> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined = undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error("Paylane gave no answer in time"));
      controller.abort();
    }, TIMEOUT_MS);
  });
  try {
    return await Promise.race([exchange(path, { ...init, signal: controller.signal }), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function exchange(path: string, init: RequestInit): Promise<Reply> {
  const response = await fetch(`${BASE}${path}`, init);
  const body: unknown = await response.json().catch(() => null);
  return { status: response.status, body };
}
