import type { Blame, Failure, Judgement, Trouble, Witness } from "./evidence.ts";
import { isAccountDemand } from "./evidence.ts";
import { isForeign, isOfItsRange, readsLeftOut, throwOf, topFrame } from "./own-code.ts";
import { SAVING, type Step } from "./steps.ts";

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
  /no such file or directory|Received (?:undefined|null|an instance of Object)|must have the same byte length|is not valid JSON|argument '\w+' is not supported\. Received|Invalid PEM|File path must be|Invalid URL|Invalid character|ERR_INVALID_(?:ARG|URL|CHAR)/;

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
    because: "it demands an account of an app whose credentials the code does not read",
    blame: "platform",
    holds: ({ failure }) => isAccountDemand(failure),
  },
  {
    because: "the API rejected a value that it had offered",
    blame: "platform",
    holds: ({ failure, witness }) => isOffered(failure, witness),
  },
  {
    because: "the API rejected a fake value",
    blame: "answers",
    holds: ({ failure }) => /^4\d\d$/.test(failure.name),
  },
  {
    because: "its own code throws this message under a condition",
    blame: "answers",
    holds: (one) =>
      hasRequests(one) ? throwOf(one) !== undefined : throwOf(one)?.isConditional === true,
  },
  {
    because: "its own code throws this message in any case",
    blame: "component",
    holds: (one) => throwOf(one) !== undefined,
  },
  {
    because: "an event or a response lacks the field of the id",
    blame: "answers",
    holds: ({ failure }) => failure.name === "DedupeError",
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
    because: "its package.json names a version without what it imports",
    blame: "component",
    holds: (one) => OTHER_PACKAGE.test(one.failure.message) && isOfItsRange(one),
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
    because: "its TCP client has a fake address or key",
    blame: "answers",
    holds: ({ witness }) => usesTcp(witness.code),
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
    because: "it reads a field of an optional prop that was left out",
    blame: "component",
    holds: (one) => readsLeftOut(one),
  },
  {
    because: "the fake event or values do not suit it",
    blame: "answers",
    holds: ({ step, failure }) => step === "run" && failure.name === "TypeError",
  },
  {
    because: "it lacks a function or a name before its first request",
    blame: "platform",
    holds: ({ failure }) => /is not (?:a function|a constructor|defined)/.test(failure.message),
  },
  {
    because: "it reads a field of a value that it was not given",
    blame: "answers",
    holds: ({ failure }) => failure.name === "TypeError",
  },
];

const LAST_RULE = { because: "it fails before its first request", blame: "component" } as const;

/** Judge an error: by the results of other tools if they ran, otherwise by the first rule that holds. */
export function troubleOf(step: Step, failure: Failure, witness: Witness): Trouble {
  const { judgement, requests } = witness;
  return {
    step,
    ...(judgement ?? judged({ step, failure, witness })),
    ...failure,
    requests: requests.map(({ url, status }) => ({ url, status })),
  };
}

function judged(one: Case): Judgement {
  if (SAVING.has(one.step) || one.step === "platform")
    return { blame: "platform", because: `refused at ${one.step}` };
  const { blame, because } = RULES.find(({ holds }) => holds(one)) ?? LAST_RULE;
  return { blame: typeof blame === "function" ? blame(one) : blame, because };
}

function hasRequests({ witness }: Case): boolean {
  return witness.requests.length > 0;
}

/** Whether the API rejected a number for a text, or digits for a number, that `options()` gave. */
function isOffered({ name, message }: Failure, { offered }: Witness): boolean {
  const value = offered?.get(/configured_props\.(\w+):/.exec(message)?.[1] ?? "");
  if (!/^4\d\d$/.test(name)) return false;
  return typeof value === "number" || (typeof value === "string" && /^\d+$/.test(value));
}

function isConnection({ name, message }: Failure): boolean {
  return CONNECTION.test(`${name}: ${message}`);
}

function statusIn({ message }: Failure): number | undefined {
  const [, code, http] = STATUS.exec(message) ?? [];
  return code === undefined && http === undefined ? undefined : Number(code ?? http);
}

function usesTcp(code: ReadonlyMap<string, string>): boolean {
  return [...code.values()].some((text) => RAW_TCP.test(text));
}
