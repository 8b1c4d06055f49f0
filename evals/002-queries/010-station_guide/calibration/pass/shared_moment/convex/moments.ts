// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";

export const question = v.object({ station: v.string(), minute: v.number() });
export type Question = Infer<typeof question>;

export const minutes = (count: number) => count * 60_000;
export const momentOf = ({ minute }: Question) => minutes(minute);
