// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { usePaginatedQuery } from "convex/react";

import { api } from "../../convex/_generated/api";
import type { Doc } from "../../convex/_generated/dataModel";
import { CardItem } from "./CardItem";
import type { Label } from "./LabelFilter";
import type { Moves } from "./useMoves";

/** The number of cards that a list shows at first, and with each "More". */
const PAGE = 5;

interface Props {
  list: Doc<"lists">;
  lists: Doc<"lists">[];
  label: Label | undefined;
  moves: Moves;
}

/** One list. The size counts all of its cards, whatever the filter shows and however many are loaded. */
export function List({ list, lists, label, moves }: Props) {
  const args = { list: list._id, ...(label && { label }) };
  const { results, status, loadMore } = usePaginatedQuery(api.cards.page, args, {
    initialNumItems: PAGE,
  });
  const limit = list.limit === undefined ? "" : ` of ${list.limit}`;
  return (
    <section data-list={list.name}>
      <h2>{list.name}</h2>
      <p className="size">{`${list.size}${limit}`}</p>
      {status === "LoadingFirstPage" && <p>Loading cards</p>}
      <ul>
        {results.map((card, index) => (
          <CardItem
            key={card._id}
            card={card}
            above={results[index - 1]}
            below={results[index + 1]}
            lists={lists}
            moves={moves}
          />
        ))}
      </ul>
      {status === "CanLoadMore" && <button onClick={() => loadMore(PAGE)}>More</button>}
    </section>
  );
}
