import type { Auth } from "convex/server";
import { action, mutation, query } from "./_generated/server";

async function describe({ auth }: { auth: Auth }) {
  const user = await auth.getUserIdentity();
  return user && [user.subject, user.name ?? null, user.email ?? null];
}

export const me = query({ args: {}, handler: describe });
export const rename = mutation({ args: {}, handler: describe });
export const call = action({ args: {}, handler: describe });
