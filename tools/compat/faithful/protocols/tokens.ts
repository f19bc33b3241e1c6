import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";

import { formOf, json, routes } from "../fake.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** The account's access token has expired: one refresh, then the same request again. */
async function refreshToken(stage: Stage): Promise<void> {
  let refreshes = 0;
  stage.serve(
    routes({
      "POST refresh.example/oauth/token": (request) => {
        const { grant_type, refresh_token } = formOf(request);
        const basic = Buffer.from("client-1:secret-1").toString("base64");
        if (request.headers["authorization"] !== `Basic ${basic}`)
          return json({ error: "invalid_client" }, 401);
        if (grant_type !== "refresh_token" || refresh_token !== "refresh-1")
          return json({ error: "invalid_grant" }, 400);
        refreshes += 1;
        return json({ access_token: `fresh-${refreshes}`, token_type: "bearer", expires_in: 3600 });
      },
      "GET refresh.example/me": ({ headers }) =>
        headers["authorization"]?.startsWith("Bearer fresh-")
          ? json({ id: 7, name: "Ada" })
          : json({ error: "expired" }, 401, { "www-authenticate": 'Bearer error="invalid_token"' }),
    }),
  );
  await stage.deploy();
  await stage.tick();
  await stage.tick();
  const people = await stage.emitted(1);
  stage.equal("the people read", people, [{ id: 7, name: "Ada" }]);
  stage.equal("the number of refreshes", refreshes, 1);
}

/** A service account signs its own token request (RFC 7523, RS256). */
const PAIR = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

async function signAssertion(stage: Stage): Promise<void> {
  stage.serve(
    routes({
      "POST assertion.example/token": (request) => {
        const [head = "", claims = "", signature = ""] =
          formOf(request)["assertion"]?.split(".") ?? [];
        const key = createPublicKey(PAIR.publicKey);
        const signed = Buffer.from(`${head}.${claims}`);
        if (!verify("RSA-SHA256", signed, key, Buffer.from(signature, "base64url")))
          return json({ error: "invalid_grant" }, 400);
        const payload: { iss: string; aud: string } = JSON.parse(
          Buffer.from(claims, "base64url").toString(),
        );
        stage.equal("the issuer", payload.iss, "robot@assertion.example");
        return json({ access_token: "of-the-robot", expires_in: 3600 });
      },
      "GET assertion.example/report": ({ headers }) =>
        headers["authorization"] === "Bearer of-the-robot" ? json({ rows: 3 }) : json({}, 403),
    }),
  );
  stage.equal("the report", await stage.act(), { rows: 3 });
}

/** Too many requests: `Retry-After` is in seconds the first time and a date the second time. */
async function waitAndRetry(stage: Stage): Promise<void> {
  const waits = ["1", new Date(Date.now() + 1500).toUTCString()];
  const times: number[] = [];
  stage.serve(
    routes({
      "GET busy.example/report": () => {
        times.push(Date.now());
        const later = waits.shift();
        return later
          ? json({ error: "slow down" }, 429, { "retry-after": later })
          : json({ ok: 1 });
      },
    }),
  );
  stage.equal("the report", await stage.act(), { ok: 1 });
  stage.equal("the number of requests", times.length, 3);
  stage.equal("it waited a second", (times[1] ?? 0) - (times[0] ?? 0) >= 1000, true);
}

export const TOKENS: Scenario[] = [
  {
    protocol: "OAuth token refresh",
    component: "components/refresh/sources/profile-read/profile-read.mjs",
    credentials: {
      oauth_access_token: "stale",
      oauth_refresh_token: "refresh-1",
      client_id: "client-1",
      client_secret: "secret-1",
    },
    play: refreshToken,
  },
  {
    protocol: "OAuth JWT assertion",
    component: "components/assertion/actions/read-report/read-report.mjs",
    credentials: { client_email: "robot@assertion.example", private_key: PAIR.privateKey },
    play: signAssertion,
  },
  {
    protocol: "429 with Retry-After",
    component: "components/busy/actions/read-report/read-report.mjs",
    credentials: { api_key: "key-1" },
    play: waitAndRetry,
  },
];
