import type { IncomingMessage, ServerResponse } from "node:http";

import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { TestProject } from "vitest/node";

import { serve, type TestServer } from "./serve.ts";

declare module "vitest" {
  export interface ProvidedContext {
    accessServer: string;
  }
}

const KEY_ID = "team";

/** The team that all tests of a run share. */
export async function setup(project: TestProject): Promise<() => void> {
  const { origin, close } = await serveTeam();
  project.provide("accessServer", origin);
  return close;
}

/** A team of Cloudflare Access: it serves keys like a real one, and signs tokens on a test's request. */
export async function serveTeam(): Promise<TestServer> {
  const [team, stranger] = [await generateKeyPair("RS256"), await generateKeyPair("RS256")];
  const jwk = { ...(await exportJWK(team.publicKey)), kid: KEY_ID, alg: "RS256", use: "sig" };
  const answer = async ({ url = "/" }: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    if (pathname === "/cdn-cgi/access/certs") {
      response.setHeader("content-type", "application/json");
      return response.end(JSON.stringify({ keys: [jwk], public_cert: {}, public_certs: [] }));
    }
    const { privateKey } = searchParams.get("key") === "stranger" ? stranger : team;
    const claims = JSON.parse(searchParams.get("claims") ?? "{}");
    const token = new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: KEY_ID });
    return response.end(await token.sign(privateKey));
  };
  return serve(answer);
}
