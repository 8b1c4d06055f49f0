// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../../convex/_generated/dataModel";

interface Props {
  track: Doc<"tracks">;
  start: string;
  isPicked: boolean;
  isSaving: boolean;
  // Whether the tray has tracks.
  canDrop: boolean;
  onPick: () => void;
  onDrop: () => void;
}

/** A track, with the time when it begins. */
export function Row({ track, start, isPicked, isSaving, canDrop, onPick, onDrop }: Props) {
  return (
    <li>
      <span className="start">{start}</span>
      <h3>{track.title}</h3>
      {track.isPlayed && <span>Played</span>}
      {isSaving && <span>Saving</span>}
      {!track.isPlayed && !isPicked && <button onClick={onPick}>Pick</button>}
      {canDrop && !isPicked && <button onClick={onDrop}>Drop below</button>}
    </li>
  );
}
