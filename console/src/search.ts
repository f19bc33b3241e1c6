/** One text of a URL's search, by its name; nothing where it is none. */
export function textOf<Name extends string>(
  search: Record<string, unknown>,
  name: Name,
): { [K in Name]?: string } {
  const value = search[name];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the key is the name.
  return (typeof value === "string" ? { [name]: value } : {}) as { [K in Name]?: string };
}
