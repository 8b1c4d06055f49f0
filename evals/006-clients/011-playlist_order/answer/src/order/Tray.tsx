// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../../convex/_generated/dataModel";
import type { Picked } from "./useTray";

interface Props {
  tray: Picked[];
  onPutBack: (track: Id<"tracks">) => void;
}

/** The tracks that go to another place together. */
export function Tray({ tray, onPutBack }: Props) {
  return (
    <section id="tray">
      <ol>
        {tray.map(({ track, title, refusal }) => (
          <li key={track}>
            <h3>{title}</h3>
            <button onClick={() => onPutBack(track)}>Put back</button>
            {refusal !== null && <p role="alert">{refusal}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}
