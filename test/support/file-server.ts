import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import type { TestProject } from "vitest/node";

import { REMOTE_FILES } from "../fixtures/remote/files.ts";

declare module "vitest" {
  export interface ProvidedContext {
    fileServer: string;
  }
}

/** Serve fixtures over HTTP for the tests that read from URLs, with the ways in which servers misbehave. */
export default async function setup(project: TestProject): Promise<() => void> {
  const server = createServer(({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const { status = 200, location = "", text = "" } = answerTo(pathname);
    response.writeHead(status, location === "" ? {} : { location }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  project.provide("fileServer", `http://127.0.0.1:${port}`);
  return () => void server.close();
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
