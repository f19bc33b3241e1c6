/** One text of a URL's search, by its name; undefined if it is not a text. A text like a number was parsed as one. */
export function textOf<Name extends string>(
  search: Record<string, unknown>,
  name: Name,
): { [K in Name]?: string } {
  const value = search[name];
  const text = typeof value === "number" ? String(value) : value;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the key is the name.
  return (typeof text === "string" && text !== "" ? { [name]: text } : {}) as {
    [K in Name]?: string;
  };
}
