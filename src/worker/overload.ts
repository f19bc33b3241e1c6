/** Whether the runtime refused a call because too many already wait for the object: the object never received it. */
export function isOverload(thrown: unknown): boolean {
  return thrown instanceof Error && "overloaded" in thrown && thrown.overloaded === true;
}
