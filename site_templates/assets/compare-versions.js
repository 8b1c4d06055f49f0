// Models of another version beside models of this page's version, over the evals that are the same
// in both. Scores, costs and steps are sums over whole versions, and are left out.

import { json, pathOf } from "./elements.js";

/* The versions whose evals are in part those of this page's version, by their folders. */
export const versions = (choice) => json(`${choice.dataset.place}versions.json`);

/* The evals and models of a mixed choice, in the form of one version's files; null where no version
   has all the absent models and enough evals of this one. `everywhere` has the versions of models. */
export async function join(choice, keys, absent, everywhere) {
  const otherVersions = await versions(choice);
  const folder = Object.keys(otherVersions).find((candidate) =>
    absent.every((key) => everywhere[key]?.[2].some(([href]) => href === candidate)),
  );
  if (folder === undefined) return null;
  const places = { here: choice.dataset.place, there: choice.dataset.root + folder };
  const [here, there, ...models] = await Promise.all([
    json(`${places.here}evals.json`),
    json(`${places.there}evals.json`),
    ...keys.map((key) =>
      json(`${absent.includes(key) ? places.there : places.here}${pathOf(key)}.json`),
    ),
  ]);
  const same = new Set(otherVersions[folder].evals);
  const evals = here.evals.filter(({ name }) => same.has(name));
  const categories = here.categories
    .map(({ label, folder: name }) => ({ label, name, evals: count(evals, name) }))
    .filter((category) => category.evals);
  const restricted = models.map((model, index) =>
    restrict(model, absent.includes(keys[index]) ? there.evals : here.evals, evals, categories),
  );
  restricted.forEach((model) => {
    model.against = Object.fromEntries(
      keys.map((key, index) => [key, sentence(model, restricted[index])]),
    );
  });
  return {
    evals: { steps: [], categories, evals },
    models: restricted,
    title: otherVersions[folder].title,
  };
}

const inCategory = (name, category) => name.startsWith(`${category}/`);

const count = (evals, category) => evals.filter(({ name }) => inCategory(name, category)).length;

const share = ([passed, judged]) => passed / judged;

const rounded = (number) => Math.round(10 * number) / 10;

/* A model with its outcomes at some evals only; `own` are all evals of its version. */
function restrict(model, own, evals, categories) {
  const positions = new Map(own.map(({ name }, index) => [name, index]));
  const outcomes = evals.map(({ name }) => model.evals[positions.get(name)]);
  const passed = (isCounted) =>
    rounded(
      outcomes
        .filter((_, index) => isCounted(evals[index].name))
        .reduce((sum, outcome) => sum + share(outcome), 0),
    );
  return {
    name: model.name,
    href: model.href,
    facts: { Passed: `${passed(() => true)} of ${evals.length}` },
    categories: categories.map((category) => passed((name) => inCategory(name, category.name))),
    attempts: 0,
    steps: [],
    evals: outcomes,
    runs: {},
    against: {},
  };
}

function sentence(model, other) {
  // By whole numbers: shares as fractions are not always equal where they should be.
  const higher = ([passed, judged], [passedThere, of]) => passed * of > passedThere * judged;
  const leads = (first, second) =>
    first.evals.filter((result, index) => higher(result, second.evals[index])).length || "none";
  const [more, fewer] = [leads(model, other), leads(other, model)];
  const difference =
    more === "none" && fewer === "none"
      ? "{one} and {other} do equally well on every eval."
      : `{one} does better than {other} on ${more} and worse on ${fewer} of ${model.evals.length} evals.`;
  return `${difference} Whether that is more than chance is not computed for a choice across versions.`;
}
