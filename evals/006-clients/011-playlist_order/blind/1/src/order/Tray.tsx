// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../../convex/_generated/dataModel";
import type { Picked } from "./useTray";

interface Props {
  tray: Picked[];
  onPutBack: (track: Id<"tracks">) => void;
}

/** The tracks that were picked, in the order in which they will be dropped. */
export function Tray({ tray, onPutBack }: Props) {
  return (
    <section id="tray">
      <ol>
        {tray.map(({ track, reason }) => (
          <li key={track._id}>
            <h3>{track.title}</h3>
            <button onClick={() => onPutBack(track._id)}>Put back</button>
            {reason !== null && <p role="alert">{reason}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}
