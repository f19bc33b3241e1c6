import type { TestProject } from "vitest/node";

import { REMOTE_FILES } from "../fixtures/remote/files.ts";
import { serve } from "./serve.ts";

declare module "vitest" {
  export interface ProvidedContext {
    fileServer: string;
  }
}

/** Serve fixtures over HTTP for the tests that read from URLs, with the faults of real servers. */
export default async function setup(project: TestProject): Promise<() => void> {
  const { origin, close } = await serve(({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const { status = 200, location = "", text = "" } = answerTo(pathname);
    response.writeHead(status, location === "" ? {} : { location }).end(text);
  });
  project.provide("fileServer", origin);
  return close;
}

function answerTo(pathname: string): { status?: number; location?: string; text?: string } {
  const [, hops] = /^\/hops\/(\d+)\//.exec(pathname) ?? [];
  if (hops === "0") return { status: 302, location: "/a/component.mjs" };
  if (hops !== undefined) {
    return { status: 302, location: `/hops/${Number(hops) - 1}/component.mjs` };
  }
  if (pathname.startsWith("/broken/")) return { status: 500 };
  if (pathname.startsWith("/huge/")) return { text: "//".padEnd(2 ** 21, "x") };
  const text = REMOTE_FILES[pathname];
  return text === undefined ? { status: 404 } : { text };
}
