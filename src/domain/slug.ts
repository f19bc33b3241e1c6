import slugify from "@sindresorhus/slugify";

/** Room for a counter stays below what a URL segment or an index comfortably holds. */
const MAX_SLUG = 100;

/** The slug of a name, before it is made unique among its owner's (docs/contract.md: Names). */
export function slugOf(name: string): string {
  return (
    slugify(name.slice(0, MAX_SLUG), { decamelize: false }).slice(0, MAX_SLUG).replace(/-+$/, "") ||
    "source"
  );
}
