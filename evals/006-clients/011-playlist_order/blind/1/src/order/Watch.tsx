// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";
import { useEffect } from "react";

import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import type { Dispatch } from "./useTray";

/** Keeps a track current wherever it is, and takes it out of the tray when it was removed. */
export function Watch({ track, dispatch }: { track: Id<"tracks">; dispatch: Dispatch }) {
  const isRemoved = useQuery(api.tracks.get, { track }) === null;
  useEffect(() => {
    if (isRemoved) dispatch({ type: "removed", track });
  }, [isRemoved, track, dispatch]);
  return null;
}
