/** A node of a syntax tree, as acorn creates it. */
export type Node = Record<string, unknown> & { type: string };

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
