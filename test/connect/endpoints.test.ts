import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";

import { signUp } from "../support/client.ts";
import { send, sendJson } from "../support/deploy.ts";
import { runsCommitted } from "../support/source-tables.ts";
import { code, deployWorkflow } from "../support/workflow.ts";

const ECHO = `export default { name: "Echo", version: "1", props: { http: "$.interface.http" },
  run({ headers, body }) { this.$emit({ headers, body }) } }`;

/** The headers of products' clients when they invoke an endpoint. */
const CLIENT_HEADERS = {
  authorization: "Bearer wsat_someone",
  "x-pd-environment": "development",
  "x-pd-external-user-id": "user-1",
  "x-pd-sdk-version": "3",
};

const invoke = (url: string) =>
  send(url, {
    headers: { "content-type": "application/json", ...CLIENT_HEADERS },
    body: JSON.stringify({ n: 1 }),
  });

type Ada = Awaited<ReturnType<typeof signUp>>;

async function deployEcho(ada: Ada) {
  const { body } = await ada.post("/sources", { component_code: ECHO });
  return { id: body.data.id, url: body.data.configured_props.http.endpoint_url as string };
}

async function emittedBy(ada: Ada, id: string) {
  await runsCommitted(id);
  const { body } = await ada.get(`/sources/${id}/event_summaries?expand=event`);
  return body.data.map(({ event }: { event: unknown }) => event);
}

test("the endpoint of a source has a lower-case URL, and accepts the requests of products' clients", async () => {
  const ada = await signUp();
  const { id, url } = await deployEcho(ada);
  expect(url).toBe(url.toLowerCase());
  expect(await invoke(url)).toMatchObject({ status: 200 });
  expect(await emittedBy(ada, id)).toMatchObject([{ headers: CLIENT_HEADERS, body: { n: 1 } }]);
});

test("the endpoint of a workflow has a lower-case URL, and accepts the requests of products' clients", async () => {
  const flow = await deployWorkflow({
    trigger: { type: "http" },
    steps: [
      {
        name: "answer",
        component_code: code(
          `const { headers, body } = steps.trigger.event;
           await $.respond({ status: 201, body: { headers, body } })`,
        ),
      },
    ],
  });
  expect(flow.url).toBe(flow.url.toLowerCase());
  const response = await invoke(flow.url);
  expect(response.status).toBe(201);
  expect(await response.json()).toMatchObject({ headers: CLIENT_HEADERS, body: { n: 1 } });
});

test("an endpoint of an earlier release works, even after an update", async () => {
  const ada = await signUp();
  const { id, url } = await deployEcho(ada);
  const key = id.slice("dc_".length) + newToken();
  await env.DB.prepare("UPDATE sources SET endpoints = ? WHERE id = ?")
    .bind(JSON.stringify({ http: key }), id)
    .run();
  const { body } = await ada.put(`/sources/${id}`, { name: "Renamed" });
  const old = body.data.configured_props.http.endpoint_url as string;
  expect(old).toBe(url.replace(/[^/]+$/, key));
  expect(await sendJson(`${old}/path`, { n: 2 })).toMatchObject({ status: 200 });
  expect(await emittedBy(ada, id)).toMatchObject([{ body: { n: 2 } }]);
  expect(await sendJson(url, {})).toMatchObject({ status: 404 });
});

test("a key that differs in case or in a character is not found", async () => {
  const ada = await signUp();
  const { id, url } = await deployEcho(ada);
  const key = url.slice(url.lastIndexOf("/") + 1);
  const last = key.endsWith("a") ? "b" : "a";
  for (const wrong of [key.toUpperCase(), `${key.slice(0, -1)}${last}`, `${key}a`, key.slice(1)])
    expect(await sendJson(url.replace(key, wrong), {})).toMatchObject({ status: 404 });
  expect(await emittedBy(ada, id)).toEqual([]);
});
