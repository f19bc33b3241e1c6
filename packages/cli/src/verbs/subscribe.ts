import { misuse } from "../failure.ts";
import { apiFor, type CommandOptions } from "../options.ts";
import { sourceNamed } from "../sources.ts";
import { json, line } from "../terminal/output.ts";
import type { Subscription } from "../wire.ts";

type SubscribeOptions = CommandOptions & { channel?: string; name?: string };

/** Deliver the events of a source to a URL, by a new webhook. */
export async function subscribe(
  given: string,
  url: string,
  options: SubscribeOptions,
): Promise<void> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw misuse(`${url} is not a URL`, "give one with http or https");
  const api = await apiFor(options);
  const source = await sourceNamed(api, given);
  // Absent options are absent in JSON.
  const webhook = await api.data<{ id: string; signing_secret: string }>("POST", "/webhooks", {
    body: { url, name: options.name },
  });
  const subscription = await api.data<Subscription>("POST", "/subscriptions", {
    body: { emitter_id: source.id, listener_id: webhook.id, event_name: options.channel },
  });
  if (options.json) return json({ webhook, subscription });
  line(`${source.name} delivers to ${url} by the webhook ${webhook.id}`);
  line(`signing secret, shown only now: ${webhook.signing_secret}`);
}
