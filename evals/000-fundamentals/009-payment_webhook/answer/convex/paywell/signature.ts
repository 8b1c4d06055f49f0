// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { readSetting, requireSetting } from "../lib/settings";
import { SECOND } from "../lib/time";

/** How far the moment of signing may be from now, into the past and the future. */
export const TOLERANCE = 5 * 60 * SECOND;

/** Return whether Paywell signed this body, and not long ago. */
export async function isSigned(header: string | null, body: ArrayBuffer): Promise<boolean> {
  const parts = (header ?? "").split(",").map((part) => {
    const at = part.indexOf("=");
    return { name: part.slice(0, at).trim(), value: part.slice(at + 1).trim() };
  });
  const moment = parts.find((part) => part.name === "t")?.value ?? "";
  if (!/^\d+$/.test(moment) || Math.abs(Date.now() - Number(moment) * SECOND) > TOLERANCE) {
    return false;
  }
  const signed = await new Blob([`${moment}.`, body]).arrayBuffer();
  const signatures = parts
    .filter((part) => part.name === "v1" && /^[0-9a-f]{64}$/i.test(part.value))
    .map((part) => Uint8Array.from(part.value.match(/../g) ?? [], (pair) => parseInt(pair, 16)));
  for (const secret of [requireSetting("PAYWELL_SECRET"), readSetting("PAYWELL_SECRET_OLD")]) {
    if (secret === undefined) {
      continue;
    }
    const key = await crypto.subtle.importKey(
      "raw",
      new TextEncoder().encode(secret),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["verify"],
    );
    for (const signature of signatures) {
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) {
        return true;
      }
    }
  }
  return false;
}
