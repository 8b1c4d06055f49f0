// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation, useQuery } from "convex/react";
import { useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { explain } from "./refusals";

interface Props {
  me: string;
  lists: Doc<"lists">[];
}

/** The open cards of the person who uses the page, from whatever list. */
export function MyCards({ me, lists }: Props) {
  const cards = useQuery(api.cards.ofPerson, { person: me });
  return (
    <section data-list="mine">
      <h2>My cards</h2>
      {cards === undefined && <p>Loading my cards</p>}
      <ul>
        {cards?.map((card) => (
          <MyCard key={card._id} card={card} lists={lists} />
        ))}
      </ul>
    </section>
  );
}

function MyCard({ card, lists }: { card: Doc<"cards">; lists: Doc<"lists">[] }) {
  const send = useMutation(api.cards.move);
  const [isSaving, setIsSaving] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);

  const move = async (list: Id<"lists">) => {
    setIsSaving(true);
    try {
      await send({ card: card._id, list, place: { kind: "bottom" } });
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
      <p className="in">{lists.find((list) => list._id === card.list)?.name}</p>
      {isSaving && <span className="saving">Saving</span>}
      {lists
        .filter((list) => list._id !== card.list)
        .map((list) => (
          <button key={list._id} disabled={isSaving} onClick={() => void move(list._id)}>
            {`Send to ${list.name}`}
          </button>
        ))}
      {refusal !== null && <p role="alert">{refusal}</p>}
    </li>
  );
}
