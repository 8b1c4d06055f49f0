// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation } from "convex/react";
import { useState, useSyncExternalStore } from "react";

import { api } from "../../convex/_generated/api";
import { Drafts } from "./drafts";

/** The drafts of the page, and what is to be shown of each talk that they know. */
export function useDrafts() {
  const save = useMutation(api.talks.save);
  const [drafts] = useState(() => new Drafts(save));
  const talks = useSyncExternalStore(drafts.subscribe, drafts.getTalks);
  return { drafts, talks };
}
