// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/**
 * What we use of Paywell's interface, version 3. From their manual:
 *
 * Payments. `POST /v3/payments` with `{ reference, cents }` and an `Idempotency-Key` makes a
 * payment and replies with `{ id, url }`: the customer pays at the url. There is one payment for
 * each reference. It begins as `processing`; an attempt may fail, and the customer may try again
 * at the same url, which makes it `processing` again. Once it `succeeded` it stays so. It can then
 * be returned, in one or several refunds.
 *
 * Webhooks. We send a POST for every change. Its body is JSON in UTF-8, with a byte order mark in
 * front if your account is on our older servers:
 *
 *   { "id": "evt_81", "type": "payment.succeeded", "created": 1793445600, "data": { ... } }
 *
 * - `id` is the event's own; it is the same whenever the event is sent. All moments are in whole
 *   seconds since 1970.
 * - For the types `payment.processing`, `payment.failed`, `payment.succeeded` and
 *   `payment.refunded`, `data` is the whole payment as it was after the change. For
 *   `credit.granted`, a gift of ours to a customer of yours, it is `{ "reference", "cents" }`;
 *   `reference` is the customer's id in your app. There are further types, and there will be more.
 * - Each request has the header `Paywell-Signature: t=1793445612,v1=9f86d0...`: `t` is the moment
 *   of signing, `v1` the HMAC-SHA256 in hexadecimal of the text of `t`, a full stop, and the body,
 *   byte by byte. The key is the secret's text. There may be several `v1`, by several secrets, in
 *   any order: one that is right is enough. Ignore what else is in the header.
 * - An event is sent again until it is answered with status 200, for three days. Your support, too,
 *   can send it again, until 30 days after it was created. Each time it is signed anew.
 * - Events are sent side by side: a later one may overtake an earlier one, and also our reply to
 *   the request that caused it.
 */
export interface Payment {
  id: string;
  /** The id of our invoice, as we gave it. */
  reference: string;
  /** 1 for a new payment, and one more with each change of it. */
  version: number;
  status: "processing" | "failed" | "succeeded";
  cents: number;
  /** The moment when it succeeded; null before. */
  paidAt: number | null;
  /** The oldest first. None is ever changed or taken away. */
  refunds: { cents: number; at: number }[];
}

export const PAYMENTS_URL = "https://api.paywell.test/v3/payments";
