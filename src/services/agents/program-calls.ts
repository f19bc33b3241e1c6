import { z } from "zod";

import { pageOfComponents } from "#db/connect/components.ts";
import { functionOfAction, keyOfFunction } from "#domain/action-calls.ts";
import type { Cause } from "#domain/chains.ts";
import { RequestError } from "#domain/errors.ts";
import { isTooDeep } from "#domain/json-depth.ts";
import type { Json } from "#domain/json.ts";
import type { Values } from "#domain/props.ts";
import type { Sender } from "#sandbox/call-host.ts";

import { appsOfAction } from "./actions.ts";
import type { AgentContext } from "./context.ts";
import { checkRun, runForAgent } from "./run.ts";
import { payerOf } from "./search.ts";

/** Maximum actions of one program. */
const MAX_CALLS = 100;

/** Maximum request of a program, in bytes. */
const MAX_REQUEST_BYTES = 1024 * 1024;

/** Maximum arguments of all listed calls together, and of each listed error, in characters. */
const MAX_LISTED_ARGUMENTS = 256 * 1024;
const MAX_LISTED_ERROR = 1000;

/** An action that a program called, and its result. `args`: absent if those of earlier calls fill the list. */
export type ProgramCall = {
  action: string;
  args?: Values;
  outcome: "done" | "failed" | "would run";
  error?: string;
};

/** The calls of a program. Input from its isolate is not trusted. */
const Wanted = z.object({
  action: z.string().max(250).optional(),
  app: z.string().max(200).optional(),
  name: z.string().max(200).optional(),
  args: z.record(z.string(), z.custom<Json>()).default({}),
});

/** The result of an action as the program receives it. */
type CallResult =
  | { ok: true; value: Json }
  | { ok: false; error: string; code: string }
  | { skipped: string };

/** Receives each share of a program's budget of runs. */
type Budget = { takeShare: () => number };

/** The host of one program: runs the requested actions within the grant of its agent. */
export class ProgramCalls implements Sender {
  readonly calls: ProgramCall[] = [];
  readonly #agent: AgentContext;
  readonly #cause: Cause;
  readonly #budget: Budget;
  readonly #isDry: boolean;
  #hasEnded = false;
  #listedLength = 0;

  constructor(
    agent: AgentContext,
    { cause, budget, isDry }: { cause: Cause; budget: Budget; isDry: boolean },
  ) {
    this.#agent = agent;
    this.#cause = cause;
    this.#budget = budget;
    this.#isDry = isDry;
  }

  async send(request: Request): Promise<Response> {
    return Response.json(await this.#resultOf(request));
  }

  async renewToken(): Promise<null> {
    return null;
  }

  /** Refuse all further calls. */
  end(): void {
    this.#hasEnded = true;
  }

  async #resultOf(request: Request): Promise<CallResult> {
    try {
      const { args, ...wanted } = await wantedIn(request);
      if (this.#hasEnded) throw new RequestError("conflict", "The program has ended");
      if (this.calls.length >= MAX_CALLS)
        throw new RequestError("conflict", `A program may run at most ${MAX_CALLS} actions`);
      const call = this.#list(nameOf(wanted), args);
      return await this.#perform(call, { ...wanted, args }).catch((error: unknown) => {
        call.error = refusalOf(error).error.slice(0, MAX_LISTED_ERROR);
        throw error;
      });
    } catch (error) {
      return { ok: false, ...refusalOf(error) };
    }
  }

  /** List a call. Its arguments are left out once those of all calls are too long for the response. */
  #list(action: string, args: Values): ProgramCall {
    this.#listedLength += JSON.stringify(args).length;
    const isListed = this.#listedLength <= MAX_LISTED_ARGUMENTS;
    const call: ProgramCall = { action, ...(isListed && { args }), outcome: "failed" };
    this.calls.push(call);
    return call;
  }

  async #perform(
    call: ProgramCall,
    { args, ...wanted }: Named & { args: Values },
  ): Promise<CallResult> {
    const action = await keyOf(this.#agent, wanted);
    call.action = action;
    if (this.#isDry) {
      await checkRun(this.#agent, { action, args });
      call.outcome = "would run";
      return { skipped: action };
    }
    const { hops, depth } = this.#cause;
    const cause = { hops, depth: depth + 1, budget: this.#budget.takeShare() };
    // A program may run many actions at once.
    const agent = { ...this.#agent, stored: this.#agent.storedApart };
    const { returned = null, observations } = await runForAgent(agent, { action, args, cause });
    const failure = observations.find(({ err }) => err !== undefined)?.err;
    if (failure)
      throw new RequestError("hook_failed", `${action}: ${failure.name}: ${failure.message}`);
    call.outcome = "done";
    return { ok: true, value: returned };
  }
}

type Named = Pick<z.output<typeof Wanted>, "action" | "app" | "name">;

async function wantedIn(request: Request): Promise<z.output<typeof Wanted>> {
  const text = await request.text();
  if (text.length > MAX_REQUEST_BYTES || isTooDeep(text))
    throw new RequestError("too_large", "The arguments of an action may have at most 1 MB");
  const parsed = Wanted.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new RequestError("invalid_input", z.prettifyError(parsed.error));
}

function nameOf({ action, app = "", name = "" }: Named): string {
  return action ?? `${app}.${name}`;
}

/** The key of the action that a program names. */
async function keyOf(agent: AgentContext, { action, app = "", name = "" }: Named): Promise<string> {
  if (action !== undefined) return action;
  const usual = keyOfFunction(app, name);
  if (await appsOfAction(agent, usual)) return usual;
  const { items } = await pageOfComponents(agent.db, payerOf(agent), {
    filter: { app, type: "action", registry: "all" },
    request: { limit: 1000 },
  });
  const key = items
    .map((item) => item.key ?? "")
    .find((one) => functionOfAction(one, app) === name);
  if (key !== undefined) return key;
  throw new RequestError("not_found", `There is no action ${name} of ${app}`);
}

function refusalOf(error: unknown): { error: string; code: string } {
  if (error instanceof RequestError) return { error: error.message, code: error.code };
  if (error instanceof SyntaxError)
    return { error: "The request is not valid JSON", code: "invalid_input" };
  throw error;
}
