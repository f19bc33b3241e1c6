import { exports } from "cloudflare:workers";

import * as generated from "./client.generated.ts";
import { ORIGIN, signUp } from "./client.ts";

type Operations = Omit<typeof generated, "defaults" | "servers">;

/** The typed client that is generated from the OpenAPI document, as one user. */
export type Api = {
  [K in keyof Operations]: (args?: Parameters<Operations[K]>[0]) => ReturnType<Operations[K]>;
};

/** The generated client. Without a key it is anonymous. */
function apiOf(key?: string): Api {
  const options = {
    baseUrl: `${ORIGIN}/v1`,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    fetch: (url: string, init?: RequestInit) => exports.default.fetch(url, init),
  };
  const operations = Object.entries(generated).flatMap(([name, operation]) =>
    typeof operation === "function"
      ? [[name, (args: object = {}) => (operation as Operation)(args, options)]]
      : [],
  );
  return Object.fromEntries(operations) as Api;
}

type Operation = (args: object, options: object) => Promise<unknown>;

/** A fresh user and their generated client. */
export async function newCaller(plan: "free" | "paid" = "free") {
  const { user } = await signUp(plan);
  return { user, api: apiOf(user.api_key), key: user.api_key as string };
}

/** The body of a success; any other response fails the calling test, with the API's message. */
export function ok<A extends { status: number; data?: unknown }>(
  answer: A,
): Extract<A, { status: 200 }>["data"] {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.data)}`);
  return answer.data;
}
