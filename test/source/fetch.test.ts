import { expect, inject, test } from "vitest";

import { deploy, eventsOf, sendJson } from "../support/deploy.ts";

async function emittedBy(body: string, imports = "") {
  const { stub, url } = await deploy(`${imports}
    const outcome = (sent) => sent.then(({ status }) => status, ({ name, message, cause }) => [name, message, cause?.message]);
    export default { props: { http: "$.interface.http" }, async run({ body: { server } }) { ${body} } }`);
  await sendJson(url, { server: inject("httpServer") });
  return (await eventsOf(stub)).map(({ event }) => event).toReversed();
}

const REFUSED = ["TypeError", "fetch failed", "unexpected redirect"];

test("fetch rejects a redirect if configured to, and returns any other response", async () => {
  const emitted = await emittedBy(`
    const options = { redirect: "error" };
    this.$emit(await outcome(fetch(server + "/json", options)));
    this.$emit(await outcome(fetch(server + "/redirect/302", options)));
    const request = new Request(server + "/redirect/302", options);
    this.$emit([request.redirect, request instanceof Request, options.redirect]);
    this.$emit(await outcome(fetch(request)));
    this.$emit(await outcome(fetch(new Request(request))));
    this.$emit(await outcome(fetch(request, { redirect: "follow" })));`);
  expect(emitted).toEqual([200, REFUSED, ["error", true, "error"], REFUSED, REFUSED, 200]);
});

test.for(["default", "reload", "force-cache", "no-store", "no-cache"])(
  "fetch accepts the cache mode %s, as in Node",
  async (cache) => {
    const sent = `this.$emit(await outcome(fetch(server + "/json", { cache: "${cache}" })));`;
    expect(await emittedBy(sent)).toEqual([200]);
  },
);

test("a failed connection throws Node's error", async () => {
  const emitted = await emittedBy(`
    for (const url of ["http://127.0.0.1:9/", "http://nowhere.invalid/", server + "/hangup"])
      await fetch(url).catch(({ code, message, hostname, cause }) =>
        this.$emit([code, message, hostname, cause && [cause.code, cause.message, cause.hostname, cause.cause]]));`);
  const outcome = (code: string, message: string, hostname: string) => [
    code,
    message,
    hostname,
    [code, message, hostname, null],
  ];
  expect(emitted).toEqual([
    outcome("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:9", "127.0.0.1"),
    outcome("ENOTFOUND", "getaddrinfo ENOTFOUND nowhere.invalid", "nowhere.invalid"),
    ["ECONNRESET", "socket hang up", null, null],
  ]);
});

test("node:https reports a failed connection without the runtime's message", async () => {
  const body = `
    const failed = (url) => new Promise((resolve) => get(url).on("error", resolve));
    for (const url of ["https://nowhere.invalid/", "https://127.0.0.1:9/"]) {
      const { code, syscall, hostname, address, port, cause, stack } = await failed(url);
      this.$emit([code, syscall, hostname, address, port, /internal/.test(stack + cause?.message)]);
    }`;
  const emitted = await emittedBy(body, 'import { get } from "node:https";');
  expect(emitted).toEqual([
    ["ENOTFOUND", "getaddrinfo", "nowhere.invalid", null, null, false],
    ["ECONNREFUSED", "connect", "127.0.0.1", "127.0.0.1", 9, false],
  ]);
});
