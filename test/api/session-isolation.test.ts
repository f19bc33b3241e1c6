// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { ingress } from "#worker/ingress.ts";

import { ORIGIN, signUp } from "../support/client.ts";
import { signIn } from "../support/console.ts";

const ECHO = `export default { name: "Echo", version: "1",
  props: { http: { type: "$.interface.http", customResponse: true } },
  run({ headers }) { this.http.respond({ status: 200, body: headers }); } }`;

const EVENTS_URL = "https://events.example";

test("no component receives the session of a browser, on any origin", async () => {
  const { user, post } = await signUp();
  const { cookie: session } = await signIn({ api_key: user.api_key });
  const { body } = await post("/sources", { component_code: ECHO });
  const { pathname } = new URL(body.data.configured_props.http.endpoint_url);
  const seen = async (origin: string, cookie: string): Promise<Record<string, string>> => {
    const incoming = new Request(`${origin}${pathname}`, { headers: { cookie, "x-kept": "yes" } });
    const response = await ingress(incoming, { ...env, EVENTS_URL });
    return response?.json() ?? {};
  };
  for (const origin of [ORIGIN, EVENTS_URL]) {
    const both = await seen(origin, `a=1; ${session}; __Host-${session}; b=2`);
    expect(both).toMatchObject({ "x-kept": "yes", cookie: "a=1; b=2" });
    const none = await seen(origin, `${session?.toUpperCase()}`);
    expect(none).toMatchObject({ "x-kept": "yes" });
    expect(none).not.toHaveProperty("cookie");
    expect(await seen(origin, "a=1; b=2")).toMatchObject({ cookie: "a=1; b=2" });
  }
});
