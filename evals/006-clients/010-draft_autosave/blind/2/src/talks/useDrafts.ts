// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useLayoutEffect, useSyncExternalStore } from "react";

import type { Doc, Id } from "../../convex/_generated/dataModel";
import type { Drafts } from "./drafts";

/** Renders a component again whenever a draft changes. */
export function useDrafts(drafts: Drafts): void {
  useSyncExternalStore(drafts.subscribe, drafts.revision);
}

/** Whether anything typed in a talk is not stored. */
export function useIsUnsaved(drafts: Drafts, id: Id<"talks">): boolean {
  return useSyncExternalStore(drafts.subscribe, () => drafts.isTalkUnsaved(id));
}

/** Tells the drafts how a talk is stored; `undefined` while it is loading. */
export function useSeen(drafts: Drafts, id: Id<"talks">, talk: Doc<"talks"> | null | undefined) {
  useLayoutEffect(() => {
    if (talk !== undefined) drafts.see(id, talk);
  }, [drafts, id, talk]);
}
