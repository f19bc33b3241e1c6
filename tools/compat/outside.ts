import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

import { listen } from "../scripts/listen.ts";
import { answerTo, type Asked, type Shape } from "./answers.ts";
import type { Fake, Reply } from "./faithful/fake.ts";
import type { ReadSchema } from "./schema.ts";

/** The fake internet as one user's components see it during one trial. */
type Visit = {
  shape: Shape;
  schema: ReadSchema | undefined;
  asked: RecordedRequest[];
  pages: Map<string, Map<string, Page>>;
  lastAtMs: number;
  fake?: Fake;
};

/** A request and the status of its response. */
type RecordedRequest = Asked & { status: number };

type Page = { number: number; asked: number };

/** A caller that repeats a request more often reads until the list is empty. */
const MAX_REPEATS = 12;

/** Everything that components can reach: one server on this machine that responds to every request. */
export type Outside = {
  url: string;
  /** Clear the requests of a user's components, and answer them in a shape from now on. */
  begin(owner: string, shape: Shape, schema?: ReadSchema): void;
  /** Answer them with a faithful fake from now on. */
  serve(owner: string, fake: Fake): void;
  /** Their requests since then. */
  asked(owner: string): readonly RecordedRequest[];
  /** The time of their last request; 0: never. */
  lastAtMs(owner: string): number;
  close(): void;
};

export async function startOutside(): Promise<Outside> {
  const visits = new Map<string, Visit>();
  const visitOf = (owner: string): Visit => {
    const visit = visits.get(owner) ?? newVisit("object");
    visits.set(owner, visit);
    return visit;
  };
  const { url, close } = await listen((request, response) => {
    void (async () => {
      const asked = await read(request);
      const visit = visitOf(asked.headers["x-wellspring-owner"] ?? "");
      const { status, headers, body } = await answered(visit, asked);
      visit.asked.push({ ...asked, status });
      response.writeHead(status, headers).end(body);
    })();
  });
  return {
    url,
    begin: (owner, shape, schema) => void visits.set(owner, newVisit(shape, schema)),
    serve: (owner, fake) => void (visitOf(owner).fake = fake),
    asked: (owner) => visitOf(owner).asked,
    lastAtMs: (owner) => visitOf(owner).lastAtMs,
    close,
  };
}

function newVisit(shape: Shape, schema?: ReadSchema): Visit {
  return { shape, schema, asked: [], pages: new Map(), lastAtMs: 0 };
}

async function answered(visit: Visit, asked: Asked): Promise<Reply> {
  visit.lastAtMs = Date.now();
  if (!visit.fake) return answerTo(asked, visit.shape, pageOf(visit, asked), visit.schema);
  try {
    return (await visit.fake({ ...asked, url: new URL(asked.url) })) ?? { status: 404 };
  } catch (error) {
    return { status: 500, body: `The fake failed: ${String(error)}` };
  }
}

async function read(request: IncomingMessage): Promise<Asked> {
  const body = await text(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const url = headers["x-wellspring-target"] ?? `http://outside${request.url}`;
  return { method: request.method ?? "GET", url, headers, body };
}

/** The number of earlier requests for other pages of a list. A repeated request is the same page, up to a limit. */
function pageOf(visit: Visit, asked: Asked): number {
  const path = `${asked.method} ${new URL(asked.url).pathname}`;
  const pages = visit.pages.get(path) ?? new Map<string, Page>();
  visit.pages.set(path, pages);
  const request = `${asked.url} ${asked.body}`;
  const page = pages.get(request) ?? { number: pages.size, asked: 0 };
  page.asked += 1;
  pages.set(request, page);
  return page.asked > MAX_REPEATS ? page.asked : page.number;
}
