import slugify from "@sindresorhus/slugify";

/** The slug with a counter still fits a URL segment and an index. */
const MAX_SLUG = 100;

/** The slug of a name, before it is made unique among its owner's (docs/contract.md: Names). */
export function slugOf(name: string): string {
  return (
    slugify(name.slice(0, MAX_SLUG), { decamelize: false }).slice(0, MAX_SLUG).replace(/-+$/, "") ||
    "source"
  );
}
