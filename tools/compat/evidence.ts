import { SAVING, type Step, STEPS } from "./steps.ts";

/**
 * The party at fault: the `platform` lacks or breaks a feature; the `component` throws by itself; the fake `answers`
 * (also values and events) do not suit it; its `package` does not exist; its own `code` is invalid.
 */
export const BLAMES = ["platform", "component", "answers", "package", "code"] as const;
type Blame = (typeof BLAMES)[number];

/** An error as the platform reports it. If the API itself rejected a call, the status is the name. */
export type Failure = { name: string; message: string; stack?: string | undefined };

/** The cause of a component's failure, and its evidence. */
export type Trouble = { step: Step; blame: Blame; because: string; name: string; message: string };

/** The party at fault for an error, and the evidence. */
export type Judgement = { blame: Blame; because: string };

/** The evidence beside the failure itself. */
export type Witness = {
  /** The component's own files, by their path. */
  code: ReadonlyMap<string, string>;
  /** Its requests during the attempt, and their statuses. */
  requests: readonly { url: string; status: number }[];
  /** The judgement of other tools on its code and packages, if they ran. */
  judgement?: Judgement | undefined;
};

type Case = { failure: Failure; step: Step; witness: Witness };
type Rule = {
  because: string;
  blame: Blame | ((one: Case) => Blame);
  holds: (one: Case) => boolean;
};

/** Clients of protocols without a fake server. */
const RAW_TCP =
  /["'](?:node:)?(?:net|tls|dgram|pg|mysql2?(?:\/promise)?|mongodb|mssql|redis|ioredis|imap|imapflow|ssh2[\w-]*|nodemailer|basic-ftp|snowflake-sdk|kafkajs|mqtt|amqplib)["']/;

const CONNECTION =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|getaddrinfo|cannot connect|proxy request failed|connection lost|address could not be parsed|connect(?:ion)? (?:failed|timed out|timeout)|socket hang up/i;

const MISSING_IN_RUNTIME =
  /not (?:yet )?implemented|not supported|No such module|Dynamic require|Code generation from strings|I\/O on behalf of|illegal invocation|Could not serialize|disallowed|WebAssembly\.\w+\(\)|GET or HEAD method cannot have a body|path-only request target/i;

/** Errors caused by another version of a package, or by another way of loading than Node's. */
const OTHER_PACKAGE =
  /cannot be invoked without 'new'|is not a constructor|default\)? is not a function|does not provide an export/;

/** A built-in module's error about an argument. Node throws the same. */
const WRONG_VALUE =
  /no such file or directory|Received (?:undefined|null|an instance of Object)|argument '\w+' is not supported\. Received|Invalid PEM|File path must be|Invalid URL|Invalid character|ERR_INVALID_(?:ARG|URL|CHAR)/;

const OF_THE_PLATFORM =
  /^(?:IsolateDied|IsolateTimeout|RunAbandoned|DeadlineExceeded|Wedged|5\d\d)$|internal error; reference/;

const STATUS = /status(?:\s*code)?:?\s*(\d{3})|HTTP (?:error )?(\d{3})/i;

const RULES: readonly Rule[] = [
  {
    because: "it runs forever after fake responses",
    blame: "answers",
    holds: ({ failure, witness }) =>
      failure.name === "DeadlineExceeded" && witness.requests.length > 0,
  },
  {
    because: "the platform rejected or lost the call",
    blame: "platform",
    holds: ({ failure: { name, message } }) =>
      OF_THE_PLATFORM.test(name) || OF_THE_PLATFORM.test(message),
  },
  {
    because: "the API rejected a fake value",
    blame: "answers",
    holds: ({ failure }) => /^4\d\d$/.test(failure.name),
  },
  {
    because: "its own code throws this message",
    blame: ({ witness }) => (witness.requests.length > 0 ? "answers" : "component"),
    holds: ({ failure, witness }) =>
      [...witness.code.values()].some((text) => isThrownIn(text, failure.message)),
  },
  {
    because: "no fake server implements the protocol of its TCP client",
    blame: "answers",
    holds: ({ failure, witness, step }) =>
      (isConnection(failure) || step === "timeout") && usesTcp(witness.code),
  },
  {
    because: "a connection failed, though every HTTP request gets a response",
    blame: "platform",
    holds: ({ failure }) => isConnection(failure),
  },
  {
    because: "a response had that status",
    blame: "answers",
    holds: ({ failure, witness }) =>
      witness.requests.some(({ status }) => status === statusIn(failure)),
  },
  {
    because: "no response had that status",
    blame: "platform",
    holds: ({ failure }) => statusIn(failure) !== undefined,
  },
  {
    because: "a built-in module rejects a fake value",
    blame: "answers",
    holds: ({ failure }) => WRONG_VALUE.test(failure.message),
  },
  {
    because: "the runtime lacks it",
    blame: "platform",
    holds: ({ failure }) => MISSING_IN_RUNTIME.test(failure.message),
  },
  {
    because: "a package differs from the one that the component was written for",
    blame: "platform",
    holds: ({ failure }) => OTHER_PACKAGE.test(failure.message),
  },
  {
    because: "a built-in module of the runtime throws it",
    blame: "platform",
    holds: ({ failure }) => /^node(?:-internal)?:/.test(topFrame(failure)),
  },
  {
    because: "it fails after fake responses",
    blame: "answers",
    holds: ({ witness }) => witness.requests.length > 0,
  },
  {
    because: "it hangs before its first request",
    blame: "platform",
    holds: ({ step }) => step === "timeout",
  },
  {
    because: "it fails before its first request, in a package",
    blame: "platform",
    holds: ({ failure, witness }) => isForeign(topFrame(failure), witness.code),
  },
  {
    because: "the fake event or values do not suit it",
    blame: "answers",
    holds: ({ step, failure }) => step === "run" && failure.name === "TypeError",
  },
  {
    because: "it fails before its first request or event",
    blame: "platform",
    holds: ({ failure }) => /^(?:Type|Reference)Error$/.test(failure.name),
  },
];

const LAST_RULE = { because: "it fails before its first request", blame: "component" } as const;

/** Judge an error: by the results of other tools if they ran, otherwise by the first rule that holds. */
export function troubleOf(step: Step, failure: Failure, witness: Witness): Trouble {
  const { name, message } = failure;
  const { judgement } = witness;
  return { step, ...(judgement ?? judged({ step, failure, witness })), name, message };
}

function judged(one: Case): Judgement {
  if (SAVING.has(one.step) || one.step === "platform")
    return { blame: "platform", because: `refused at ${one.step}` };
  const { blame, because } = RULES.find(({ holds }) => holds(one)) ?? LAST_RULE;
  return { blame: typeof blame === "function" ? blame(one) : blame, because };
}

/** Whether code throws an error of this message itself: a literal of it, or a template whose fixed parts match. */
export function isThrownIn(code: string, message: string): boolean {
  const thrown = code.matchAll(
    /(?:Error\s*\(|reject\(|throw)\s*(?:new \w+\(\s*)?(?:"((?:[^"\\\n]|\\.)+)"|'((?:[^'\\\n]|\\.)+)'|`((?:[^`\\]|\\.)+)`)/g,
  );
  return [...thrown].some(([, double, single, template]) => {
    const literal = double ?? single;
    if (literal !== undefined) return message.includes(literal.replaceAll(/\\(.)/g, "$1"));
    const parts = (template ?? "").split(/\$\{[^}]*\}/).map((part) => part.trim());
    return parts.join("").length >= 8 && inOrder(message, parts);
  });
}

function inOrder(message: string, parts: readonly string[]): boolean {
  let from = 0;
  return parts.every((part) => {
    const at = message.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}

function isConnection({ name, message }: Failure): boolean {
  return CONNECTION.test(`${name}: ${message}`);
}

function statusIn({ message }: Failure): number | undefined {
  const [, code, http] = STATUS.exec(message) ?? [];
  return code === undefined && http === undefined ? undefined : Number(code ?? http);
}

function topFrame({ stack = "" }: Failure): string {
  const frame = stack.split("\n").find((line) => /^\s+at /.test(line)) ?? "";
  return /([^\s()]+:\d+:\d+)/.exec(frame)?.[1] ?? "";
}

/** Whether a stack frame is outside the component's own files. */
function isForeign(frame: string, code: ReadonlyMap<string, string>): boolean {
  if (frame === "") return false;
  const file = frame.replace(/:\d+:\d+$/, "");
  return ![...code.keys()].some((path) => path.endsWith(file) || file.endsWith(path));
}

function usesTcp(code: ReadonlyMap<string, string>): boolean {
  return [...code.values()].some((text) => RAW_TCP.test(text));
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
