import { listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newUnsignedKey, signatureText } from "#domain/endpoint-keys.ts";
import { newId, newToken } from "#domain/ids.ts";

import { ORIGIN, signUp } from "../support/client.ts";
import { send, sendJson } from "../support/deploy.ts";

const ECHO = `export default {
  name: "Echo", version: "0.0.1", props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body); },
};`;

const guess = (id: `dc_${string}` | `p_${string}`) =>
  newUnsignedKey(id) + signatureText(crypto.getRandomValues(new Uint8Array(32)));

const objects = async () =>
  (await listDurableObjectIds(env.SOURCES)).length +
  (await listDurableObjectIds(env.WORKFLOWS)).length;

test("guessed endpoints and pauses create no object", async () => {
  const before = await objects();
  const paths = [
    `/e/${guess(newId("source"))}`,
    `/e/${guess(newId("workflow"))}/path`,
    `/e/${newToken()}${newToken()}`,
    `/e/p${newToken()}${newToken()}`,
    `/resume/${newToken()}${newToken()}`,
    `/resume/${newToken()}/${crypto.randomUUID()}/1/x`,
    `/cancel/${newToken()}/${crypto.randomUUID()}/1/x`,
  ];
  for (const path of paths) {
    const response = await send(`${ORIGIN}${path}`);
    expect([path, response.status]).toEqual([path, 404]);
    expect(await response.json()).toMatchObject({ code: "not_found" });
  }
  expect(await objects()).toBe(before);
});

test("an endpoint with an unsigned key of an earlier release works", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/sources", { component_code: ECHO });
  const { id } = body.data;
  const key = guess(id);
  await env.DB.prepare("UPDATE sources SET endpoints = ? WHERE id = ?")
    .bind(JSON.stringify({ http: key }), id)
    .run();
  await ada.put(`/sources/${id}`, { name: "Renamed" });
  for (let n = 0; n < 2; n += 1)
    expect(await sendJson(`${ORIGIN}/e/${key}`, { n })).toMatchObject({ status: 200 });
});
