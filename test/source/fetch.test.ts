import { expect, inject, test } from "vitest";

import { deploy, eventsOf, sendJson } from "../support/deploy.ts";

async function emittedBy(body: string) {
  const { stub, url } = await deploy(`
    const told = (sent) => sent.then(({ status }) => status, ({ name, message, cause }) => [name, message, cause?.message]);
    export default { props: { http: "$.interface.http" }, async run({ body: { server } }) { ${body} } }`);
  await sendJson(url, { server: inject("httpServer") });
  return (await eventsOf(stub)).map(({ event }) => event).toReversed();
}

const REFUSED = ["TypeError", "fetch failed", "unexpected redirect"];

test("fetch refuses a redirect where it is told to, and takes any other response", async () => {
  const emitted = await emittedBy(`
    const options = { redirect: "error" };
    this.$emit(await told(fetch(server + "/json", options)));
    this.$emit(await told(fetch(server + "/redirect/302", options)));
    const request = new Request(server + "/redirect/302", options);
    this.$emit([request.redirect, request instanceof Request, options.redirect]);
    this.$emit(await told(fetch(request)));
    this.$emit(await told(fetch(new Request(request))));
    this.$emit(await told(fetch(request, { redirect: "follow" })));`);
  expect(emitted).toEqual([200, REFUSED, ["error", true, "error"], REFUSED, REFUSED, 200]);
});

test.for(["default", "reload", "force-cache", "no-store", "no-cache"])(
  "fetch takes the cache mode %s, as in Node",
  async (cache) => {
    const sent = `this.$emit(await told(fetch(server + "/json", { cache: "${cache}" })));`;
    expect(await emittedBy(sent)).toEqual([200]);
  },
);

test("a connection that fails is told as Node tells it", async () => {
  const emitted = await emittedBy(`
    for (const url of ["http://127.0.0.1:9/", "http://nowhere.invalid/", server + "/hangup"])
      await fetch(url).catch(({ code, message }) => this.$emit([code, message]));`);
  expect(emitted).toEqual([
    ["ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:9"],
    ["ENOTFOUND", "getaddrinfo ENOTFOUND nowhere.invalid"],
    ["ECONNRESET", "socket hang up"],
  ]);
});
