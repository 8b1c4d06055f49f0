// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";

import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import type { Drafts } from "./drafts";
import { useDrafts, useSeen } from "./useDrafts";

/** Keeps the talks current in which something is not saved, open or not. It shows nothing. */
export function UnsavedTalks({ drafts }: { drafts: Drafts }) {
  useDrafts(drafts);
  return drafts.pending().map((id) => <UnsavedTalk key={id} id={id} drafts={drafts} />);
}

function UnsavedTalk({ id, drafts }: { id: Id<"talks">; drafts: Drafts }) {
  const talk = useQuery(api.talks.get, { talk: id });
  useSeen(drafts, id, talk);
  return null;
}
