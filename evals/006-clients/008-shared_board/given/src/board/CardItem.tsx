// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation } from "convex/react";
import { useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc } from "../../convex/_generated/dataModel";
import type { Place } from "../../convex/lib/ranks";
import { explain } from "./refusals";

interface Props {
  card: Doc<"cards">;
  above: Doc<"cards"> | undefined;
  below: Doc<"cards"> | undefined;
  lists: Doc<"lists">[];
}

/** A card in its list. It goes up, down, or to the bottom of another list. */
export function CardItem({ card, above, below, lists }: Props) {
  const send = useMutation(api.cards.move);
  const [isSaving, setIsSaving] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);

  const move = async (list: Doc<"cards">["list"], place: Place) => {
    setIsSaving(true);
    try {
      await send({ card: card._id, list, place });
      setRefusal(null);
    } catch (error) {
      setRefusal(explain(error));
    } finally {
      setIsSaving(false);
    }
  };

  return (
    <li>
      <h3>{card.title}</h3>
      {card.closedAt !== undefined && <span>Closed</span>}
      {card.isBlocked && <span>Blocked</span>}
      {isSaving && <span className="saving">Saving</span>}
      <button
        disabled={isSaving || above === undefined}
        onClick={() => above && void move(card.list, { kind: "before", card: above._id })}
      >
        Up
      </button>
      <button
        disabled={isSaving || below === undefined}
        onClick={() => below && void move(card.list, { kind: "after", card: below._id })}
      >
        Down
      </button>
      {lists
        .filter((list) => list._id !== card.list)
        .map((list) => (
          <button
            key={list._id}
            disabled={isSaving}
            onClick={() => void move(list._id, { kind: "bottom" })}
          >
            {`To ${list.name}`}
          </button>
        ))}
      {refusal !== null && <p role="alert">{refusal}</p>}
    </li>
  );
}
