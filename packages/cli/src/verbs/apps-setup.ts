import { text } from "node:stream/consumers";

import { appNamed } from "../apps.ts";
import { Failure, misuse } from "../failure.ts";
import { type CommandOptions, operatorApiFor } from "../options.ts";
import { isInteractive, json, line } from "../terminal/output.ts";
import type { App } from "../wire.ts";

type SetupOptions = CommandOptions & { clientId?: string };

/**
 * Set the OAuth client by which users sign in to an app. Its secret is prompted for or read from stdin, so that it is
 * neither shown nor in the history of a shell.
 */
export async function setUpApp(slug: string, options: SetupOptions): Promise<void> {
  const api = await operatorApiFor(options);
  const app = await appNamed(api, slug);
  if (app.auth_type !== "oauth")
    throw new Failure(`${app.name} has no OAuth client: its accounts have ${kindOf(app)}`, {
      next: `run \`wellspring apps show ${slug}\``,
    });
  const { client_app, redirect_uri } = app;
  const client_id = options.clientId ?? (await promptForId());
  const client_secret = await secret();
  await api.data("POST", "/oauth_apps", { body: { app: client_app, client_id, client_secret } });
  if (options.json) return json({ app: client_app, client_id, redirect_uri });
  line(`Users can sign in to ${app.name} now, by the client of ${client_app}.`);
  line(`Its redirect URI at the provider is ${redirect_uri}`);
}

function kindOf({ auth_type }: App): string {
  return auth_type === "keys" ? "keys" : "no credentials";
}

async function promptForId(): Promise<string> {
  if (!isInteractive()) throw misuse("The client id is missing", "give --client-id");
  const prompts = await import("@clack/prompts");
  const input = await prompts.text({ message: "Client id", validate: required });
  return answered(input);
}

async function secret(): Promise<string> {
  if (!isInteractive()) {
    const piped = (await text(process.stdin)).trim();
    if (piped === "") throw misuse("The client secret is missing", "write it to stdin");
    return piped;
  }
  const prompts = await import("@clack/prompts");
  return answered(await prompts.password({ message: "Client secret", validate: required }));
}

function required(input: string | undefined): string | undefined {
  return input ? undefined : "It is required";
}

/** The input of a prompt; cancelling it ends the command. */
function answered(input: string | symbol): string {
  if (typeof input === "symbol") throw new Failure("Cancelled");
  return input;
}
