// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import * as server from "./_generated/server";

const nothing = { args: {}, returns: v.null() };

const status = server.query({ ...nothing, handler: () => null });
const reserve = server.mutation({ ...nothing, handler: () => null });
const slew = server.action({ ...nothing, handler: () => Promise.resolve(null) });
const faults = server.internalQuery({ ...nothing, handler: () => null });
const park = server.internalMutation({ ...nothing, handler: () => null });
const calibrate = server.internalAction({ ...nothing, handler: () => Promise.resolve(null) });

export { status, reserve, slew, faults, park, calibrate };
