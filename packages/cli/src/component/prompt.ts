import * as prompts from "@clack/prompts";

import type { Api } from "../api.ts";
import { Failure } from "../failure.ts";
import type { Account, Component, Prop } from "../wire.ts";
import { timerOf, valueOf, type Values } from "./values.ts";

type Subject = { api: Api; component: Component; values: Values };
type Choice = { label: string; value: unknown };

/** Maximum pages of async options in a list. */
const MAX_OPTION_PAGES = 10;

/** Number of visible choices. */
const SEEN = 8;

const CONNECT = "connect";

/** Prompt for the value of a prop on the terminal. */
export async function promptFor(subject: Subject, prop: Prop): Promise<unknown> {
  if (prop.type === "app") return promptForAccount(subject.api, prop);
  if (prop.type === "boolean") return answered(prompts.confirm({ message: questionOf(prop) }));
  const choices = await choicesOf(subject, prop);
  if (choices.length > 0) return promptForChoice(prop, choices);
  const read = (text: string): unknown =>
    prop.type === "$.interface.timer" ? timerOf(text) : valueOf(text, prop);
  return read(await promptForText(prop, read));
}

async function promptForText(prop: Prop, read: (text: string) => unknown): Promise<string> {
  const validate = (text = ""): string | undefined => {
    if (text === "") return "It is required";
    try {
      read(text);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const message = questionOf(prop);
  return answered(
    prop.secret ? prompts.password({ message, validate }) : prompts.text({ message, validate }),
  );
}

async function promptForChoice(prop: Prop, choices: readonly Choice[]): Promise<unknown> {
  const message = questionOf(prop);
  const options = choices.map(({ label }, index) => ({ label, value: index }));
  const shown = { message, options, maxItems: SEEN, placeholder: "type to search" };
  if (!prop.type.endsWith("[]"))
    return choices[await answered(prompts.autocomplete<number>(shown))]?.value;
  const several = await answered(
    prompts.autocompleteMultiselect<number>({ ...shown, required: true }),
  );
  return several.map((index) => choices[index]?.value);
}

/** The options of a prop: static, or evaluated by the component. */
async function choicesOf(subject: Subject, prop: Prop): Promise<Choice[]> {
  if (prop.options && prop.options.length > 0) return prop.options.map(choiceOf);
  return prop.remoteOptions ? remoteChoices(subject, prop) : [];
}

function choiceOf(option: unknown): Choice {
  if (typeof option === "object" && option !== null && "value" in option) {
    const label = "label" in option ? option.label : option.value;
    return { label: String(label), value: option.value };
  }
  return { label: String(option), value: option };
}

async function remoteChoices({ api, component, values }: Subject, prop: Prop): Promise<Choice[]> {
  const query = prop.useQuery
    ? await answered(prompts.text({ message: `Search for ${prop.name}`, defaultValue: "" }))
    : undefined;
  const wait = prompts.spinner();
  wait.start(`Loading the options of ${prop.name}`);
  try {
    const choices: Choice[] = [];
    let context: unknown;
    for (let page = 0; page < MAX_OPTION_PAGES; page += 1) {
      const body = {
        prop_name: prop.name,
        configured_props: values,
        page,
        query,
        prev_context: context,
      };
      const found = await api.data<{ options: Choice[]; context?: unknown }>(
        "POST",
        `/components/${component.id}/options`,
        { body },
      );
      const known = new Set(choices.map(({ value }) => JSON.stringify(value)));
      const fresh = found.options.filter(({ value }) => !known.has(JSON.stringify(value)));
      choices.push(...fresh);
      context = found.context;
      if (fresh.length === 0) break;
    }
    return choices;
  } finally {
    wait.stop(`Loaded the options of ${prop.name}`);
  }
}

async function promptForAccount(api: Api, prop: Prop): Promise<unknown> {
  const app = prop.app ?? prop.name;
  const accounts = await accountsOf(api, app);
  const options = accounts.map(({ id, name }) => ({ label: `${name ?? id} (${id})`, value: id }));
  const chosen = await answered(
    prompts.select<string>({
      message: `Account of ${app}`,
      options: [...options, { label: "Connect another one", value: CONNECT }],
    }),
  );
  const id = chosen === CONNECT ? await connectAccount(api, app, accounts) : chosen;
  return { authProvisionId: id };
}

async function accountsOf(api: Api, app: string): Promise<Account[]> {
  const accounts: Account[] = [];
  for await (const account of api.rows<Account>("/accounts", { app })) accounts.push(account);
  return accounts;
}

async function connectAccount(api: Api, app: string, known: readonly Account[]): Promise<string> {
  const { connectInBrowser } = await import("../connect.ts");
  return connectInBrowser(api, { app, known: known.map(({ id }) => id) });
}

function questionOf({ name, label, description, type }: Prop): string {
  const hint = type === "$.interface.timer" ? " (seconds, or a cron expression)" : "";
  return `${label ?? name}${hint}${description ? `: ${description}` : ""}`;
}

/** The input of a prompt; cancelling it ends the command. */
async function answered<T>(prompt: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await prompt;
  if (isAnswer(answer)) return answer;
  throw new Failure("Cancelled");
}

function isAnswer<T>(answer: T): answer is Exclude<T, symbol> {
  return !prompts.isCancel(answer);
}
