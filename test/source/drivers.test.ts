import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";

import { signUp } from "../support/client.ts";
import { eventsOf, sendJson } from "../support/deploy.ts";

/** Queries of database clients to a server at `port`. */
const DRIVERS: [string, number, string, string, unknown][] = [
  [
    "pg",
    inject("postgresPort"),
    `import pg from "pg";`,
    `const client = new pg.Client({ host: "127.0.0.1", port, user: "ada", database: "d" });
     await client.connect();
     const { rows } = await client.query("SELECT 'forty-two' AS answer");
     await client.end();
     return rows;`,
    [{ answer: "forty-two" }],
  ],
  [
    "ioredis",
    inject("redisPort"),
    `import Redis from "ioredis";`,
    `const redis = new Redis({ host: "127.0.0.1", port, enableReadyCheck: false });
     const pong = await redis.ping();
     redis.disconnect();
     return pong;`,
    "PONG",
  ],
];

test.for(DRIVERS)(
  "a component queries a server with %s",
  { timeout: 90_000 },
  async ([, port, head, body, answer]) => {
    const ada = await signUp();
    const component_code = `${head}
      const lookUp = async (port) => { ${body} };
      export default {
        name: "Driver", version: "0.0.1", props: { http: "$.interface.http" },
        async run({ body: { port } }) { this.$emit(await lookUp(port)); },
      };`;
    const { data } = (await ada.post("/sources", { component_code })).body;
    const stub = env.SOURCES.getByName(data.id);
    await sendJson(data.configured_props.http.endpoint_url, { port });
    await expect.poll(() => eventsOf(stub)).toMatchObject([{ event: answer }]);
  },
);
