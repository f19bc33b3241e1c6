import { type Step, STEPS } from "./steps.ts";

/**
 * The party at fault: the `platform` lacks or breaks a feature; the `component` throws by itself; the fake `answers`
 * (also values and events) do not suit it; its `package` does not exist; its own `code` is invalid.
 */
export const BLAMES = ["platform", "component", "answers", "package", "code"] as const;
export type Blame = (typeof BLAMES)[number];

/** An error as the platform reports it. If the API itself rejected a call, the status is the name. */
export type Failure = { name: string; message: string; stack?: string | undefined };

/** The cause of a component's failure, and its evidence. */
export type Trouble = Failure & {
  step: Step;
  blame: Blame;
  because: string;
  /** The requests of the failed attempt. */
  requests: Witness["requests"];
};

/** The party at fault for an error, and the evidence. */
export type Judgement = { blame: Blame; because: string };

/** The evidence beside the failure itself. */
export type Witness = {
  /** The component's own files, by their path. */
  code: ReadonlyMap<string, string>;
  /** Its requests during the attempt, and their statuses. */
  requests: readonly { url: string; status: number }[];
  /** The ranges of packages that its package.json states. */
  ranges?: Readonly<Record<string, string>>;
  /** The values that `options()` gave for its props, by name. */
  offered?: ReadonlyMap<string, unknown>;
  /** The optional props that it was not given. */
  leftOut?: ReadonlySet<string>;
  /** The judgement of other tools on its code and packages, if they ran. */
  judgement?: Judgement | undefined;
};

/** Whether the platform refused a configuration because an account is missing. */
export function isAccountDemand({ message }: Failure): boolean {
  return /: an account of \S+ is required/.test(message);
}

/** The trouble that came later in a trial. */
export function furthest(a: Trouble | undefined, b: Trouble): Trouble {
  return a === undefined || STEPS.indexOf(b.step) > STEPS.indexOf(a.step) ? b : a;
}

/** The common part of failures of one kind: their message without the parts that differ between components. */
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
