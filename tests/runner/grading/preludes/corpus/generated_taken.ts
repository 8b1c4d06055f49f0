// note: our generated module is written by the answer
// into: new:convex/_generated/server.ts
import { mutationGeneric, queryGeneric } from "convex/server";
export const query = queryGeneric;
export const mutation = mutationGeneric;
export const internalMutation = mutationGeneric;
export const internalQuery = queryGeneric;
