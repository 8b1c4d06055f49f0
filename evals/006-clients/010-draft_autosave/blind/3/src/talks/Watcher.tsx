// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";
import { useEffect } from "react";

import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import type { Drafts } from "./drafts";

interface Props {
  id: Id<"talks">;
  drafts: Drafts;
}

/** Tells the drafts what is stored of a talk, whether or not the talk is open. Shows nothing. */
export function Watcher({ id, drafts }: Props) {
  const talk = useQuery(api.talks.get, { talk: id });
  useEffect(() => {
    if (talk !== undefined) drafts.see(id, talk);
  }, [drafts, id, talk]);
  useEffect(() => () => drafts.release(id), [drafts, id]);
  return null;
}
