// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation, useQuery } from "convex/react";
import { useLayoutEffect, useState, useSyncExternalStore } from "react";

import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import { Drafts } from "./drafts";

/** The drafts of all talks, and how they stand. */
export function useDrafts() {
  const save = useMutation(api.talks.save);
  const [drafts] = useState(() => new Drafts(save));
  const views = useSyncExternalStore(drafts.subscribe, drafts.read, drafts.read);
  return { drafts, views };
}

/** A talk as it is stored, whose drafts learn of each change. */
export function useStoredTalk(drafts: Drafts, id: Id<"talks">) {
  const talk = useQuery(api.talks.get, { talk: id });
  useLayoutEffect(() => {
    if (talk !== undefined) drafts.receive(id, talk);
  }, [drafts, id, talk]);
  return talk;
}
