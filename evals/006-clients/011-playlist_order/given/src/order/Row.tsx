// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation } from "convex/react";
import { useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { explain } from "./refusals";

interface Props {
  track: Doc<"tracks">;
  start: string;
  // Above the track above this one.
  twoAbove: Doc<"tracks"> | undefined;
  below: Doc<"tracks"> | undefined;
}

/** A track, with the time when it begins. */
export function Row({ track, start, twoAbove, below }: Props) {
  const send = useMutation(api.tracks.move);
  const [isSaving, setIsSaving] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);

  const move = async (other: Id<"tracks">) => {
    setIsSaving(true);
    try {
      await send({ track: track._id, below: other });
      setRefusal(null);
    } catch (error) {
      setRefusal(explain(error));
    } finally {
      setIsSaving(false);
    }
  };

  return (
    <li>
      <span className="start">{start}</span>
      <h3>{track.title}</h3>
      {track.isPlayed && <span>Played</span>}
      {isSaving && <span>Saving</span>}
      {!track.isPlayed && (
        <>
          <button
            disabled={isSaving || twoAbove === undefined}
            onClick={() => twoAbove && void move(twoAbove._id)}
          >
            Up
          </button>
          <button
            disabled={isSaving || below === undefined}
            onClick={() => below && void move(below._id)}
          >
            Down
          </button>
        </>
      )}
      {refusal !== null && <p role="alert">{refusal}</p>}
    </li>
  );
}
