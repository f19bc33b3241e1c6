import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

import { Webhook } from "standardwebhooks";

import { listen } from "../../scripts/listen.ts";
import { hold } from "../world.ts";
import type { Agent, RpcResponse } from "./mcp.ts";

/** A request to a callback, with its parsed body. */
export type Received = {
  headers: Record<string, string>;
  raw: string;
  body: { type?: string; challenge?: string; [field: string]: unknown };
};

/** A response to a request, instead of the one that accepts it. */
type Script = (received: Received) => { status: number; headers?: Record<string, string> } | void;

export type Callback = Awaited<ReturnType<typeof startCallback>>;

/** Start a callback of an agent, which returns challenges and accepts events, except where its script says otherwise. */
export async function startCallback(script: Script = () => {}) {
  const requests: Received[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const raw = await text(request);
    const headers = Object.entries(request.headers).map(([k, v]) => [k, String(v)]);
    const received = { headers: Object.fromEntries(headers), raw, body: JSON.parse(raw) };
    requests.push(received);
    const { status = 200, headers: more = {} } = script(received) ?? {};
    const { challenge } = received.body;
    response
      .writeHead(status, more)
      .end(challenge === undefined ? "" : JSON.stringify({ challenge }));
  };
  const { url, close } = await listen((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const ofKind = (isChallenge: boolean) => () =>
    requests.filter(({ body }) => (body.type === "verification") === isChallenge);
  return { url: `${url}/hook`, close, requests, challenges: ofKind(true), messages: ofKind(false) };
}

/** A new signing secret. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/** The subscription of an agent to an event type, with a callback. */
export function subscriber(agent: Agent, name: string, url: string, secret = newSecret()) {
  const key = { name, delivery: { mode: "webhook", url, secret } };
  return {
    secret,
    subscribe: (params: object = {}) => agent.request("events/subscribe", { ...key, ...params }),
    unsubscribe: (params: object = {}) =>
      agent.request("events/unsubscribe", { ...key, ...params }),
  };
}

/** Checks that a subscription was granted. */
export function holdGranted({ result, text: answer }: RpcResponse): void {
  hold(result?.id, `The subscription got ${answer.slice(0, 300)}`);
}

/** Whether a request to a callback is signed with a secret. */
export function isSigned({ raw, headers }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(raw, headers);
    return true;
  } catch {
    return false;
  }
}
