// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Picked } from "./tray";

interface Props {
  tray: Picked[];
  onPutBack: (picked: Picked) => void;
}

/** The tracks that were picked, in the order in which they will stand. */
export function TrayList({ tray, onPutBack }: Props) {
  return (
    <section id="tray">
      <ol>
        {tray.map((picked) => (
          <li key={picked.number}>
            <span>{picked.title}</span>
            <button
              onClick={() => {
                onPutBack(picked);
              }}
            >
              Put back
            </button>
            {picked.reason !== null && <p role="alert">{picked.reason}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}
