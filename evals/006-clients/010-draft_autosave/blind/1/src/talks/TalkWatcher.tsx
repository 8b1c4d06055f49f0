// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../../convex/_generated/dataModel";
import type { Drafts } from "./drafts";
import { useStoredTalk } from "./useDrafts";

interface Props {
  id: Id<"talks">;
  drafts: Drafts;
}

/** Keeps the drafts of a talk going, whether it is open or not. Shows nothing. */
export function TalkWatcher({ id, drafts }: Props) {
  useStoredTalk(drafts, id);
  return null;
}
