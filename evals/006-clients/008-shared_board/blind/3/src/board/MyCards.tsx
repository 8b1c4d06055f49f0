// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";

import { api } from "../../convex/_generated/api";
import type { Doc } from "../../convex/_generated/dataModel";
import { useMoves } from "./moves";

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
  const { move, isSaving, refusal } = useMoves(card);
  return (
    <li>
      <h3>{card.title}</h3>
      <p className="in">{lists.find((list) => list._id === card.list)?.name}</p>
      {isSaving && <span className="saving">Saving</span>}
      {lists
        .filter((list) => list._id !== card.list)
        .map((list) => (
          <button key={list._id} onClick={() => move(list._id, { kind: "bottom" })}>
            {`Send to ${list.name}`}
          </button>
        ))}
      {refusal !== null && <p role="alert">{refusal}</p>}
    </li>
  );
}
