// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Infer } from "convex/values";
import type { plan } from "../schema";

/** The seats of each plan. */
export const SEATS: Record<Infer<typeof plan>, number> = { free: 3, team: 10, business: 200 };
