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
    const [, hops] = /^\/hops\/(\d+)\//.exec(pathname) ?? [];
    if (hops !== undefined) {
      const to = hops === "0" ? "/a/component.mjs" : `/hops/${Number(hops) - 1}/component.mjs`;
      response.writeHead(302, { location: to }).end();
    } else if (pathname.startsWith("/broken/")) response.writeHead(500).end();
    else if (pathname.startsWith("/huge/")) response.end("//".padEnd(2 ** 21, "x"));
    else {
      const text = REMOTE_FILES[pathname];
      response.writeHead(text === undefined ? 404 : 200).end(text ?? "");
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  project.provide("fileServer", `http://127.0.0.1:${port}`);
  return () => void server.close();
}
