import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

import type { TestProject } from "vitest/node";

import { serve } from "./serve.ts";

declare module "vitest" {
  export interface ProvidedContext {
    receiverServer: string;
  }
}

/** A received request, its query, and its time. */
export type Received = {
  query: string;
  headers: Record<string, string>;
  body: string;
  atMs: number;
};

/** The receiver's response to a request. */
export type Step = {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  afterMs?: number;
  /** Wait until the receiver is released. */
  isHeld?: boolean;
};

type Receiver = {
  script: Step[];
  received: Received[];
  released: PromiseWithResolvers<void>;
};

/**
 * Serve receivers of webhooks, one at each path. PUT sets a receiver's responses, step by step (the last one stays),
 * GET returns its requests, for any query, and PUT with the query `release` releases it for good. With another query, a PUT
 * is an upload like any other request. Receivers of agents return challenges, which are no steps.
 */
export async function setup(project: TestProject): Promise<() => void> {
  const receivers = new Map<string, Receiver>();
  const { origin, close } = await serve((request, response) => {
    const [path = "", query = ""] = (request.url ?? "").split("?");
    const receiver = receivers.get(path) ?? newReceiver();
    receivers.set(path, receiver);
    return answer(receiver, query, request, response);
  });
  project.provide("receiverServer", origin);
  return close;
}

function newReceiver(): Receiver {
  return { script: [], received: [], released: Promise.withResolvers<void>() };
}

async function answer(
  receiver: Receiver,
  query: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === "GET") {
    response.end(JSON.stringify(receiver.received));
    return;
  }
  const body = await text(request);
  if (request.method === "PUT" && query === "release") {
    receiver.released.resolve();
    response.end();
    return;
  }
  if (request.method === "PUT" && query === "") {
    receiver.script = JSON.parse(body) as Step[];
    response.end();
    return;
  }
  const headers = request.headers as Record<string, string>;
  receiver.received.push({ query, headers, body, atMs: Date.now() });
  const challenge = challengeIn(request, body);
  if (challenge === undefined) await followScript(receiver, response);
  else response.end(JSON.stringify({ challenge }));
}

async function followScript(receiver: Receiver, response: ServerResponse): Promise<void> {
  const step = receiver.script.length > 1 ? receiver.script.shift() : receiver.script[0];
  if (step?.isHeld) await receiver.released.promise;
  const respond = () => {
    response.writeHead(step?.status ?? 200, step?.headers ?? {}).end(step?.body);
  };
  // A response that no test waits for must not keep the test runner from ending.
  setTimeout(() => respond(), step?.afterMs ?? 0).unref();
}

function challengeIn({ url }: IncomingMessage, body: string): unknown {
  if (!url?.startsWith("/agent-")) return undefined;
  try {
    const { type, challenge } = JSON.parse(body) as { type?: unknown; challenge?: unknown };
    return type === "verification" ? challenge : undefined;
  } catch {
    return undefined;
  }
}
