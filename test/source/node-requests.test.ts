import { expect, inject, test } from "vitest";

import { signUp } from "../support/client.ts";

/** The return value of an action whose `run` has this code; `server` is the origin of a server without TLS. */
async function returnedBy(load: string, run: string): Promise<unknown> {
  const ada = await signUp();
  const server = inject("httpServer");
  const component_code = `
    import http from "node:http";
    import https from "node:https";
    const told = ({ message, code, cause }) => ({ message, code: code ?? cause?.code });
    const sent = (library, url, options) => new Promise((resolve) => {
      try {
        library.get(url, options, (response) => { response.resume(); resolve(response.statusCode); })
          .on("error", (error) => resolve(told(error)));
      } catch (error) { resolve(told(error)); }
    });
    const server = ${JSON.stringify(server)};
    ${load}
    export default { name: "Sends", version: "0.0.1", type: "action", props: {}, async run() { ${run} } };`;
  const { body } = await ada.post("/actions/run", { component_code });
  return body.data.ret;
}

test("a request of node:http leaves after a package has replaced globals", async () => {
  const returned = await returnedBy(
    `
    globalThis.fetch = (url) => sent(http, url);
    for (const name of ["Response", "Headers", "AbortController", "setTimeout", "clearTimeout"])
      globalThis[name] = class { constructor() { throw new Error(name + " was replaced"); } };`,
    "return [await fetch(server), await sent(http, server, { timeout: 60_000 })];",
  );
  expect(returned).toEqual([expect.any(Number), expect.any(Number)]);
});

test("an agent that guesses its protocol sends either one", async () => {
  const returned = await returnedBy(
    `class Guessing extends http.Agent { get protocol() { return "https:"; } isSecureEndpoint() { return true; } }
    const elsewhere = new Guessing();
    elsewhere.getProxyForUrl = () => "";
    const proxied = new Guessing();
    proxied.getProxyForUrl = () => "http://user:secret@proxy.test:8080";
    const socks = Object.assign(new Guessing(), { proxy: { host: "socks.test", port: 1080 } });`,
    `return [
      await sent(http, server, { agent: new Guessing() }),
      await sent(http, server, { agent: elsewhere }),
      await sent(http, server, { agent: proxied }),
      await sent(http, server, { agent: socks }),
      await sent(https, server, { _defaultAgent: http.globalAgent }),
      await sent(http, server, { agent: https.globalAgent }),
    ];`,
  );
  const refused = (proxy: string) => ({
    message: `The proxy ${proxy} cannot be used: requests leave here directly`,
    code: "ERR_PROXY_UNSUPPORTED",
  });
  expect(returned).toEqual([
    expect.any(Number),
    expect.any(Number),
    refused("http://proxy.test:8080"),
    refused("socks.test"),
    expect.any(Number),
    {
      message: expect.stringMatching(/^Protocol "http:" not supported/),
      code: "ERR_INVALID_PROTOCOL",
    },
  ]);
});

test("a failed TLS handshake is an error that says so", async () => {
  const returned = await returnedBy(
    `const secure = server.replace("http:", "https:").replace("localhost", "127.0.0.1");`,
    "return [await fetch(secure).catch(told), await sent(https, secure)];",
  );
  const failed = {
    message: expect.stringMatching(
      /^TLS handshake failed with \S+:\d+: its certificate is not valid/,
    ),
    code: "ERR_TLS_HANDSHAKE_FAILED",
  };
  expect(returned).toEqual([failed, failed]);
});

test("a client of HTTP/2 that asks a server for its protocol sends by HTTP/1.1", async () => {
  const returned = await returnedBy(
    `import tls from "node:tls";
    const { checkServerIdentity } = tls;
    const asked = (protocols, done) => {
      const options = { host: "nowhere.invalid", port: 443, ALPNProtocols: protocols, checkServerIdentity };
      const socket = tls.connect(options, () => done([socket.alpnProtocol, socket.encrypted]));
      return socket;
    };`,
    `const answer = await new Promise((done) => asked(["h2", "http/1.1"], done));
    const only = await Promise.try(() => asked(["h2"], () => {}), 0).then(() => "asked", told);
    const options = { protocol: "https:", _defaultAgent: https.globalAgent };
    return [answer, only.message, await sent(http, "https://nowhere.invalid/", options)];`,
  );
  expect(returned).toEqual([
    ["http/1.1", true],
    expect.stringMatching(/not implemented/),
    { message: expect.stringMatching(/nowhere.invalid/), code: "ENOTFOUND" },
  ]);
});

test("process.binding has the constants of Node, and no other binding", async () => {
  const returned = await returnedBy(
    `const { fs, os } = process.binding("constants");`,
    `const other = await Promise.try(() => process.binding("uv")).catch(told);
    return [fs.O_CREAT, os.signals.SIGINT, os.errno.ENOENT, other.message];`,
  );
  expect(returned).toEqual([64, 2, 2, "The process.binding method is not implemented"]);
});
