import { RpcTarget, WorkerEntrypoint } from "cloudflare:workers";

import type { CustomResponse } from "../../../src/http/custom-response.ts";
import type {
  Call,
  Evaluation,
  Host,
  Outcome,
  PropRequest,
  Triggered,
  UserCode,
} from "../../../src/sandbox/user-code.ts";
import { FAILED_HEADER, URL_HEADER } from "./headers.ts";
import { type Records, TestStores } from "./stores.ts";

/** A request of the test's process. */
export type Order =
  | { kind: "describe" }
  | { kind: "evaluate"; request: PropRequest; stores: Records }
  | { kind: "invoke"; call: Call; stores: Records };

/** The result of a call. Bytes are base64. */
export type Invoked = {
  outcome: Omit<Outcome, "response"> & { response?: SentResponse };
  /** JSON text by key: a hook's writes to `$.service.db`. */
  db: Record<string, string | null>;
  triggers: { workflowId: string; event: string }[];
  stores: Records;
};

type SentResponse = Omit<CustomResponse, "body"> & { body: string | null; isBase64: boolean };

type DriverEnv = { COMPONENT: UserCode; TEST: Fetcher };

/** The network of the component: the test responds to every request. */
export class Network extends WorkerEntrypoint<DriverEnv> {
  override fetch(request: Request): Promise<Response> {
    return sendToTest(this.env.TEST, request);
  }
}

class TestHost extends RpcTarget implements Host {
  readonly #test: Fetcher;
  readonly db: Record<string, string | null> = {};
  readonly triggers: Invoked["triggers"] = [];
  early: CustomResponse | undefined;

  constructor(test: Fetcher) {
    super();
    this.#test = test;
  }

  fetch(request: Request): Promise<Response> {
    return sendToTest(this.#test, request);
  }

  async renewToken(): Promise<null> {
    return null;
  }

  async setDb(key: string, value: string | null): Promise<void> {
    this.db[key] = value;
  }

  async respond(response: CustomResponse): Promise<void> {
    this.early ??= response;
  }

  async trigger(workflowId: string, event: string): Promise<Triggered> {
    this.triggers.push({ workflowId, event });
    return { ok: true };
  }
}

export default {
  async fetch(request: Request, env: DriverEnv): Promise<Response> {
    return Response.json(await obey(await request.json<Order>(), env));
  },
};

async function obey(order: Order, env: DriverEnv): Promise<Evaluation | Invoked> {
  if (order.kind === "describe") return env.COMPONENT.describe();
  const stores = new TestStores(order.stores);
  const host = new TestHost(env.TEST);
  if (order.kind === "evaluate") return env.COMPONENT.evaluateProps(order.request, stores, host);
  const { response = host.early, ...outcome } = await env.COMPONENT.invoke(
    order.call,
    host,
    stores,
  );
  const { db, triggers } = host;
  return {
    outcome: { ...outcome, ...(response && { response: sent(response) }) },
    db,
    triggers,
    stores: TestStores.recordsOf(stores),
  };
}

function sent({ body, ...response }: CustomResponse): SentResponse {
  const isBase64 = body instanceof Uint8Array;
  return { ...response, body: isBase64 ? body.toBase64() : body, isBase64 };
}

async function sendToTest(test: Fetcher, request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set(URL_HEADER, request.url);
  const { method, body } = request;
  const response = await test.fetch("http://test/", { method, headers, body, redirect: "manual" });
  if (response.headers.has(FAILED_HEADER)) throw new Error("Network connection lost.");
  return response;
}
