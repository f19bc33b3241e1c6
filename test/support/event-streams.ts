import { exports } from "cloudflare:workers";
import { onTestFinished } from "vitest";

import { ORIGIN } from "./client.ts";
import { headersFor, messageOf } from "./mcp.ts";

type Message = {
  id?: number;
  method?: string;
  result?: object;
  params: Record<string, unknown> & { data?: unknown; cursor: string };
};

/** Opens a stream of events, and collects the received messages. */
export async function follow(
  token: string,
  params: Record<string, unknown>,
  more: Record<string, string> = {},
) {
  const abort = new AbortController();
  const method = "events/stream";
  const request = new Request(`${ORIGIN}/mcp`, {
    method: "POST",
    body: JSON.stringify(messageOf(7, method, params)),
    headers: { ...headersFor(token, method, params), "content-type": "application/json", ...more },
    signal: abort.signal,
  });
  const response = await exports.default.fetch(request);
  const messages: Message[] = [];
  const ended = collect(response, messages);
  onTestFinished(() => abort.abort());
  const data = () =>
    messages
      .filter((one) => one.method === "notifications/events/event")
      .map(({ params: { data: value } }) => value);
  return { response, messages, data, ended };
}

async function collect(response: Response, messages: Message[]): Promise<void> {
  let text = "";
  const body = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
  try {
    for await (const chunk of body) {
      const events = (text + chunk).split("\n\n");
      text = events.pop() ?? "";
      messages.push(...events.flatMap(messagesIn));
    }
  } catch {
    // The test ended.
  }
}

function messagesIn(event: string): Message[] {
  const [, json] = /^data: ([^\n]*)/m.exec(event) ?? [];
  return json === undefined ? [] : [JSON.parse(json) as Message];
}
