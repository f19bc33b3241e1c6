/** How far a component came, in the order of a trial. */
export const STEPS = [
  "fetch",
  "bundle",
  "evaluate",
  "define",
  "options",
  "props",
  "hook",
  "run",
  "deactivate",
  "timeout",
  "platform",
] as const;
export type Step = (typeof STEPS)[number];

/**
 * Why a component failed. `blame`: `platform` where the runtime lacks or breaks something, `answers` where the component
 * did not like what the outside invented, `component` where it refused by itself.
 */
export type Trouble = {
  step: Step;
  blame: "platform" | "answers" | "component";
  name: string;
  message: string;
};

/** What the failures of a runtime look like, rather than those of code that meets invented data. */
const OF_THE_RUNTIME =
  /not implemented|not supported|No such module|Dynamic require|Code generation from strings|is not a constructor|I\/O on behalf of|internal error|proxy request failed|cannot connect|Network connection lost|ECONNREFUSED|EAI_AGAIN|getaddrinfo|node:|workerd|Could not serialize|IsolateDied|RunAbandoned|DeadlineExceeded|The isolate said nothing|illegal invocation/i;

const EARLY: ReadonlySet<Step> = new Set(["fetch", "bundle", "evaluate", "define", "platform"]);

/** Tell who is to blame for an error. `asked`: whether the component has had answers from the outside. */
export function troubleOf(
  step: Step,
  { name, message }: { name: string; message: string },
  asked: boolean,
): Trouble {
  // A status stands for the name where the platform refused by itself.
  const isRefused = EARLY.has(step) || /^\d{3}$/.test(name);
  const isOfRuntime = isRefused || OF_THE_RUNTIME.test(`${name}: ${message}`);
  const blame = isOfRuntime ? "platform" : asked ? "answers" : "component";
  return { step, blame, name, message };
}

/** The one of two troubles that came later in a trial. */
export function furthest(a: Trouble | undefined, b: Trouble): Trouble {
  return a === undefined || STEPS.indexOf(b.step) > STEPS.indexOf(a.step) ? b : a;
}

/** What troubles of one kind have in common: their message without what differs from one component to the next. */
export function causeOf({ name, message }: Trouble): string {
  const [line = ""] = message.split("\n");
  const plain = line
    .replaceAll(/https?:\/\/\S+/g, "<url>")
    .replaceAll(/(["'`])(?:(?!\1).){1,200}\1/g, "<name>")
    .replaceAll(/[\w@./-]*\/[\w@./-]+(?::\d+:\d+)?/g, "<file>")
    .replaceAll(/\b\d+\b/g, "<n>")
    .slice(0, 140);
  return `${name}: ${plain}`;
}
