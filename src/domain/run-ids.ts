/** Ids of workflow runs: random, derived from another run, or the due time of a tick. */
const RUN_ID =
  /^(?:[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|[\da-f]{32}|tick-(?<tickMs>\d{1,13}))$/;

/** The form of an id: whether a run may have it, and the due time of the tick that it names, epoch milliseconds. */
export function parseRunId(text: string): { tickMs: number | undefined } | undefined {
  const match = RUN_ID.exec(text);
  if (!match) return undefined;
  const tickMs = match.groups?.["tickMs"];
  return { tickMs: tickMs === undefined ? undefined : Number(tickMs) };
}
