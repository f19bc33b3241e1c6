import type { Caller } from "../../scripts/api.ts";

/** Call the API as a user; returns `data` if the response has it, otherwise the body. Throws on an error status. */
// oxlint-disable-next-line typescript/no-explicit-any -- responses have every shape.
export type Call = (method: string, path: string, body?: unknown) => Promise<any>;

/** A function that calls the API as a user. */
export function callAs({ url, apiKey }: Caller): Call {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path} returned ${response.status}: ${text.slice(0, 500)}`);
    const answer = text === "" ? undefined : JSON.parse(text);
    return answer?.data ?? answer;
  };
}

/** Post JSON to an endpoint, and ignore the response. */
export async function post(url: string, body: unknown): Promise<void> {
  const headers = { "content-type": "application/json" };
  await (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).text();
}

/** Wait for a condition. */
export async function until(check: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`Timed out waiting until ${what}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}
