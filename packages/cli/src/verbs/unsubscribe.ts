import type { Api } from "../api.ts";
import { Failure } from "../failure.ts";
import { apiFor, type CommandOptions } from "../options.ts";
import { sourceNamed } from "../sources.ts";
import { json, line } from "../terminal/output.ts";
import type { Source, Subscription, Webhook } from "../wire.ts";

type UnsubscribeOptions = CommandOptions & { channel?: string };

/** End the deliveries of a source to a URL, or by the webhook of an id. The webhook stays, with its pending deliveries. */
export async function unsubscribe(
  given: string,
  receiver: string,
  options: UnsubscribeOptions,
): Promise<void> {
  const api = await apiFor(options);
  const source = await sourceNamed(api, given);
  const ended = await subscriptionsTo(api, source, receiver, options.channel);
  if (ended.length === 0)
    throw new Failure(`${source.name} does not deliver to ${receiver}`, {
      next: `\`wellspring describe ${given}\` shows its listeners`,
    });
  for (const { emitter_id, listener_id, event_name } of ended)
    await api.request("DELETE", "/subscriptions", {
      query: { emitter_id, listener_id, event_name },
    });
  if (options.json) return json(ended);
  for (const { listener_id: id } of ended)
    line(`${source.name} no longer delivers by ${id}; \`wellspring delete ${id}\` deletes it`);
}

async function subscriptionsTo(
  api: Api,
  source: Source,
  receiver: string,
  channel: string | undefined,
): Promise<Subscription[]> {
  const webhooks = new Set([receiver]);
  for await (const { id, url } of api.rows<Webhook>("/users/me/webhooks"))
    if (url === receiver) webhooks.add(id);
  const all = await api.data<Subscription[]>("GET", "/users/me/subscriptions");
  return all.filter(
    ({ emitter_id, listener_id, event_name }) =>
      emitter_id === source.id &&
      webhooks.has(listener_id) &&
      (channel === undefined || event_name === channel),
  );
}
