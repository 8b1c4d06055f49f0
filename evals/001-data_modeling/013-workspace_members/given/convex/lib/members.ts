// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import { refuse } from "./errors";
import { role } from "./roles";

/** `name` is the person's present name; `since` is when they joined. */
export const member = v.object({
  user: v.string(),
  name: v.string(),
  role,
  since: v.number(),
});

export type Member = Infer<typeof member>;

export function findMember(workspace: Doc<"workspaces">, user: string): Member | undefined {
  return workspace.members.find((each) => each.user === user);
}

/** A workspace always has an owner, whatever is done to its members. */
export function requireOwner(members: Member[]): void {
  if (!members.some((each) => each.role === "owner")) refuse("last_owner");
}
