import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

import { answerTo, type Asked, type Shape } from "./answers.ts";
import { listen } from "./listen.ts";

/** What one user's components have to do with the outside during one trial. */
type Visit = { shape: Shape; asked: Asked[]; pages: Map<string, number>; lastAtMs: number };

/** All that components can reach: one server of this machine that has an answer to everything. */
export type Outside = {
  url: string;
  /** Forget what a user's components asked, and answer them in a shape from now on. */
  begin(owner: string, shape: Shape): void;
  /** What they asked since then. */
  asked(owner: string): Asked[];
  /** When they last asked something; 0: never. */
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
      const { status, headers, body } = answerTo(asked, visit.shape, pageOf(visit, asked));
      response.writeHead(status, headers).end(body);
    })();
  });
  return {
    url,
    begin: (owner, shape) => void visits.set(owner, newVisit(shape)),
    asked: (owner) => visitOf(owner).asked,
    lastAtMs: (owner) => visitOf(owner).lastAtMs,
    close,
  };
}

function newVisit(shape: Shape): Visit {
  return { shape, asked: [], pages: new Map(), lastAtMs: 0 };
}

async function read(request: IncomingMessage): Promise<Asked> {
  const body = await text(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const url = headers["x-wellspring-target"] ?? `http://outside${request.url}`;
  return { method: request.method ?? "GET", url, headers, body };
}

function pageOf(visit: Visit, asked: Asked): number {
  visit.asked.push(asked);
  visit.lastAtMs = Date.now();
  const path = `${asked.method} ${new URL(asked.url).pathname}`;
  const page = visit.pages.get(path) ?? 0;
  visit.pages.set(path, page + 1);
  return page;
}
