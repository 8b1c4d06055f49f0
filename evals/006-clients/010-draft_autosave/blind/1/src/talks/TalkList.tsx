// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";

import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import type { TalkViews } from "./drafts";

interface Props {
  conference: Id<"conferences">;
  views: TalkViews;
  onOpen: (talk: Id<"talks">) => void;
}

/** All talks, one of which can be opened. */
export function TalkList({ conference, views, onOpen }: Props) {
  const talks = useQuery(api.talks.list, { conference });
  if (talks === undefined) return <p>Loading talks</p>;
  return (
    <ul id="talks">
      {talks.map(({ _id, title, room }) => (
        <li key={_id}>
          <button onClick={() => onOpen(_id)}>{title}</button>
          {room !== null && <span className="room">{room}</span>}
          {views.get(_id)?.isUnsaved === true && <span className="unsaved">Not saved</span>}
        </li>
      ))}
    </ul>
  );
}
