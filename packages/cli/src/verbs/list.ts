import type { Api } from "../api.ts";
import { misuse } from "../failure.ts";
import { type CommandOptions, apiFor } from "../options.ts";
import { json, table, timeOf } from "../terminal/output.ts";
import type { Account, Published, Source, Webhook, Workflow } from "../wire.ts";

type ListOptions = CommandOptions & { limit: number };

/** The list of one kind of resource. */
type Listing = { head: string[]; rows: (api: Api, limit: number) => AsyncGenerator<Listed, void> };
type Listed = { value: unknown; cells: string[] };

const LISTINGS: Record<string, Listing> = {
  sources: {
    head: ["id", "name", "active", "updated"],
    rows: (api, limit) =>
      listed(api.rows<Source>("/users/me/sources", {}, limit), (source) => [
        source.id,
        source.name_slug,
        yesOrNo(source.active),
        timeOf(source.updated_at * 1000),
      ]),
  },
  workflows: {
    head: ["id", "name", "active", "trigger", "version"],
    rows: (api, limit) =>
      listed(api.rows<Workflow>("/workflows", {}, limit), (workflow) => [
        workflow.id,
        workflow.name,
        yesOrNo(workflow.active),
        workflow.trigger.type,
        String(workflow.version),
      ]),
  },
  webhooks: {
    head: ["id", "name", "active", "url"],
    rows: (api, limit) =>
      listed(api.rows<Webhook>("/users/me/webhooks", {}, limit), (webhook) => [
        webhook.id,
        webhook.name ?? "",
        yesOrNo(webhook.active),
        webhook.url,
      ]),
  },
  published: {
    head: ["key", "type", "version", "licence"],
    rows: (api, limit) =>
      listed(api.rows<Published>("/registry", {}, limit), (component) => [
        component.key,
        component.type,
        component.version,
        component.license ?? "",
      ]),
  },
  accounts: {
    head: ["id", "app", "name", "healthy"],
    rows: (api, limit) =>
      listed(api.rows<Account>("/accounts", {}, limit), (account) => [
        account.id,
        account.app,
        account.name,
        yesOrNo(account.healthy),
      ]),
  },
};

/** List sources, or another kind of resource. */
export async function list(kind: string, options: ListOptions): Promise<void> {
  const listing = LISTINGS[kind];
  if (!listing) throw misuse(`${kind} cannot be listed`, `name one of ${kinds()}`);
  const api = await apiFor(options);
  const found: Listed[] = [];
  for await (const row of listing.rows(api, options.limit)) found.push(row);
  if (options.json) return json(found.map(({ value }) => value));
  table(
    listing.head,
    found.map(({ cells }) => cells),
  );
}

async function* listed<T>(
  rows: AsyncGenerator<T, void>,
  cells: (row: T) => string[],
): AsyncGenerator<Listed, void> {
  for await (const row of rows) yield { value: row, cells: cells(row) };
}

function kinds(): string {
  return Object.keys(LISTINGS).join(", ");
}

function yesOrNo(value: boolean): string {
  return value ? "yes" : "no";
}
