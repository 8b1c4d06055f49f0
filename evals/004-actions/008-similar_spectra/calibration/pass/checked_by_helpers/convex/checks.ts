// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

export function checkPeaks(peaks: number[]) {
  if (peaks.length === 8) return peaks;
  throw new ConvexError("bad peaks");
}

export function checkLimit(limit: number | undefined) {
  if (limit === undefined) return 10;
  const allowed = Array.from({ length: 50 }, (_, n) => n + 1);
  if (allowed.includes(limit)) return limit;
  throw new ConvexError("bad limit");
}
