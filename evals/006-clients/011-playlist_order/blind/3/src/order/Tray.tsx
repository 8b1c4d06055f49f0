// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Picked } from "./useTray";

interface Props {
  tray: Picked[];
  onPutBack: (entry: Picked) => void;
}

/** The tracks that are dropped together. */
export function Tray({ tray, onPutBack }: Props) {
  return (
    <section id="tray">
      <ol>
        {tray.map((entry) => (
          <li key={entry.track._id}>
            <h3>{entry.track.title}</h3>
            <button onClick={() => onPutBack(entry)}>Put back</button>
            {entry.reason !== null && <p role="alert">{entry.reason}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}
