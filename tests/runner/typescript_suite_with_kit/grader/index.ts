// A kit that a suite brings along: it has its own names, and its own admin key.
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { countStatements } from "./statements";

export { countStatements };
export const adminKey = "0123456789abcdef";

const url = `http://localhost:${process.env.CONVEX_PORT ?? "0"}`;

/** Returns a client of the answer's deployment that may do everything. */
export function connectAsAdmin(): ConvexClient {
  const client = new ConvexClient(url);
  (client as any).setAdminAuth(adminKey);
  return client;
}

export const http = new ConvexHttpClient(url);

/** Whether the reference's deployment is there to compare with. */
export const hasReference = process.env.CONVEX_ANSWER_PORT !== undefined;
