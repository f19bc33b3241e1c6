/** Settings that are read from the environment alone. */
const OF_ENVIRONMENT = ["HOST", "PORT", "STATE_DIR", "LOG_FORMAT"];

/** Settings of a deployed Worker that also have an effect locally, in `.dev.vars`. */
const OF_WORKER = [
  "METRICS_ENABLED",
  "USER_CODE",
  "DISPATCH_NAMESPACE",
  "CLOUDFLARE_ACCOUNT_ID",
  "CLOUDFLARE_API_TOKEN",
  "CLOUDFLARE_API_URL",
  "QUEUE_SHARDS",
  "WORKFLOW_SHARDS",
];

/** A shorter name is close to variables of other programs. */
const MIN_LENGTH = 6;

type Given = { devVars: readonly string[]; environment: readonly string[] };

/**
 * Warnings about names that set nothing: every unknown one of `.dev.vars`, and of the environment, which other programs
 * use too, those that resemble a setting. `settings`: the names that are read from both.
 */
export function unknownSettings(
  settings: readonly string[],
  { devVars, environment }: Given,
): string[] {
  const known = [...settings, ...OF_WORKER, ...OF_ENVIRONMENT];
  const elsewhere = devVars
    .filter((name) => OF_ENVIRONMENT.includes(name))
    .map((name) => `${name} in .dev.vars has no effect: set it in the environment`);
  const inFile = devVars
    .filter((name) => !known.includes(name))
    .map((name) => `${name} in .dev.vars is not a setting${suggestionFor(name, known)}`);
  const around = environment
    .filter((name) => !known.includes(name) && nearest(name, known) !== undefined)
    .map((name) => `${name} is not a setting${suggestionFor(name, known)}`);
  return [...elsewhere, ...inFile, ...around];
}

function suggestionFor(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === undefined ? "" : `: did you mean ${meant}?`;
}

/** The known name that the fewest edits turn a name into, at most one for each four of its letters. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const close = known
    .filter((one) => one.length >= MIN_LENGTH)
    .map((one) => ({ one, edits: editsBetween(name, one) }))
    .filter(({ one, edits }) => edits <= one.length / 4)
    .toSorted((a, b) => a.edits - b.edits);
  return close[0]?.one;
}

/** The number of letters to insert, delete or change (Levenshtein's distance). */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 0; at < one.length; at += 1) {
    const next = [at + 1];
    for (let index = 0; index < other.length; index += 1) {
      const changed = (row[index] ?? 0) + (one[at] === other[index] ? 0 : 1);
      next.push(Math.min(changed, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
