import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

import { listen } from "../scripts/listen.ts";
import type { Fake, Reply } from "./faithful/fake.ts";
import { responseTo, type HttpRequest, type Shape } from "./responses.ts";
import type { ReadSchema } from "./schema.ts";

/** The fake internet as one user's components see it during one trial. */
type Visit = {
  shape: Shape;
  schema: ReadSchema | undefined;
  requests: RecordedRequest[];
  pages: Map<string, Map<string, Page>>;
  lastAtMs: number;
  fake?: Fake;
};

/** A request and the status of its response. */
type RecordedRequest = HttpRequest & { status: number };

type Page = { number: number; requests: number };

/** A caller that repeats a request more often reads until the list is empty. */
const MAX_REPEATS = 12;

/** Everything that components can reach: one server on this machine that responds to every request. */
export type FakeUpstream = {
  url: string;
  /** Clear the requests of a user's components, and respond to later ones in a shape. */
  begin(owner: string, shape: Shape, schema?: ReadSchema): void;
  /** Respond to them with a faithful fake from now on. */
  serve(owner: string, fake: Fake): void;
  /** Their requests since then. */
  requests(owner: string): readonly RecordedRequest[];
  /** The time of their last request; 0: never. */
  lastAtMs(owner: string): number;
  close(): void;
};

export async function startFakeUpstream(): Promise<FakeUpstream> {
  const visits = new Map<string, Visit>();
  const visitOf = (owner: string): Visit => {
    const visit = visits.get(owner) ?? newVisit("object");
    visits.set(owner, visit);
    return visit;
  };
  const { url, close } = await listen((incoming, response) => {
    void (async () => {
      const request = await read(incoming);
      const visit = visitOf(request.headers["x-wellspring-owner"] ?? "");
      const { status, headers, body } = await responseOf(visit, request);
      visit.requests.push({ ...request, status });
      response.writeHead(status, headers).end(body);
    })();
  });
  return {
    url,
    begin: (owner, shape, schema) => void visits.set(owner, newVisit(shape, schema)),
    serve: (owner, fake) => void (visitOf(owner).fake = fake),
    requests: (owner) => visitOf(owner).requests,
    lastAtMs: (owner) => visitOf(owner).lastAtMs,
    close,
  };
}

function newVisit(shape: Shape, schema?: ReadSchema): Visit {
  return { shape, schema, requests: [], pages: new Map(), lastAtMs: 0 };
}

async function responseOf(visit: Visit, request: HttpRequest): Promise<Reply> {
  visit.lastAtMs = Date.now();
  if (!visit.fake) return responseTo(request, visit.shape, pageOf(visit, request), visit.schema);
  try {
    return (await visit.fake({ ...request, url: new URL(request.url) })) ?? { status: 404 };
  } catch (error) {
    return { status: 500, body: `The fake failed: ${String(error)}` };
  }
}

async function read(request: IncomingMessage): Promise<HttpRequest> {
  const body = await text(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const url = headers["x-wellspring-target"] ?? `http://outside${request.url}`;
  return { method: request.method ?? "GET", url, headers, body };
}

/** The number of earlier requests for other pages of a list. A repeated request is the same page, up to a limit. */
function pageOf(visit: Visit, request: HttpRequest): number {
  const path = `${request.method} ${new URL(request.url).pathname}`;
  const pages = visit.pages.get(path) ?? new Map<string, Page>();
  visit.pages.set(path, pages);
  const identity = `${request.url} ${request.body}`;
  const page = pages.get(identity) ?? { number: pages.size, requests: 0 };
  page.requests += 1;
  pages.set(identity, page);
  return page.requests > MAX_REPEATS ? page.requests : page.number;
}
