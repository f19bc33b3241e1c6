import { once } from "node:events";
import { mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { runtimesOf, startPlatform } from "../scripts/platform.ts";
import {
  type Attack,
  deploy,
  endpoint,
  hold,
  newTenant,
  send,
  type Tenant,
  type World,
} from "./world.ts";

const ASK = endpoint(
  `const { url, host } = event.body;
   const result = await (url ? fetch(url).then((r) => r.text()) : new Promise((resolve, reject) => {
     const socket = connect({ host, port: event.body.port });
     let text = "";
     socket.on("data", (chunk) => { text += chunk; }).on("error", reject).on("close", () => resolve(text));
     socket.write("GET / HTTP/1.0\\r\\n\\r\\n");
   })).catch((error) => "failed: " + error.message);
   this.http.respond({ status: 200, body: String(result) });`,
  { imports: `import { connect } from "node:net";`, isCustom: true },
);

/** The state of a listening socket in /proc/net/tcp. */
const LISTENING = "0A";

const HOSTS = [
  "localhost",
  "localhost.",
  "127.0.0.1",
  "0x7f.1",
  "0177.0.0.1",
  "2130706433",
  "127.1",
  "0.0.0.0",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::127.0.0.1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "127。0。0。1",
  hostname(),
];

export const privateTargets: Attack[] = [
  {
    name: "components that may reach private targets reach no inner port of the platform",
    async run(world) {
      const eve = await newTenant(world);
      const { url } = await deploy(eve, ASK);
      const inner = await listenersOf(world);
      hold(inner.length > 2, `Only ${inner.join()} were found`);
      for (const [host, port] of inner)
        for (const at of [host, `[::ffff:${host}]`]) {
          const asked = { method: "POST", body: { url: `http://${at}:${port}/health` } };
          const { text } = await send(url, asked);
          hold(text.startsWith("failed: "), `${at}:${port} answers: ${text.slice(0, 100)}`);
          const connected = { host: at.replaceAll(/[[\]]/g, ""), port };
          const socket = await send(url, { method: "POST", body: connected });
          hold(!socket.text.startsWith("HTTP/"), `A socket to ${at}:${port} gets ${socket.text}`);
        }
      const other = createServer((_, response) => response.end("another server")).listen(0);
      await once(other, "listening");
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a port has a port.
      const { port } = other.address() as AddressInfo;
      const reached = await send(url, {
        method: "POST",
        body: { url: `http://127.0.0.1:${port}/` },
      });
      other.close();
      hold(reached.text === "another server", `Another server is not reached: ${reached.text}`);
    },
  },
  {
    name: "with ALLOW_PRIVATE_TARGETS=false nothing reaches this machine: fetch, socket, redirect, webhook, code",
    async run() {
      let hits = 0;
      const inner = createServer((_, response) => {
        hits += 1;
        response.end("inner");
      }).listen(0);
      await once(inner, "listening");
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a port has a port.
      const { port } = inner.address() as AddressInfo;
      const stateDir = await mkdtemp(join(tmpdir(), "wellspring-attack-"));
      const variables = { ALLOW_PRIVATE_TARGETS: "false", LOG_LEVEL: "silent" };
      const platform = await startPlatform({ stateDir, variables });
      try {
        const world = { platform, stateDir, origin: new URL(platform.url).origin };
        const eve = await newTenant(world);
        const { url } = await deploy(eve, ASK);
        for (const host of HOSTS) {
          await send(url, { method: "POST", body: { url: `http://${host}:${port}/` } });
          await send(url, { method: "POST", body: { host: host.replaceAll(/[[\]]/g, ""), port } });
          hold(hits === 0, `${host} is reached`);
        }
        const away = await deploy(
          eve,
          endpoint(
            `this.http.respond({ status: 302, headers: { location: "http://127.0.0.1:${port}/" } })`,
            { isCustom: true },
          ),
        );
        await send(url, { method: "POST", body: { url: away.url } });
        hold(hits === 0, "A redirect reaches the private server");

        await deliverTo(eve, port);
        hold(hits === 0, "A webhook or a component's URL reaches it");
      } finally {
        await platform.stop();
        inner.close();
        await rm(stateDir, { recursive: true, force: true });
      }
    },
  },
];

/** The IPv4 addresses at which the runtimes of the platform listen, from Linux's own tables. */
async function listenersOf({ platform }: World): Promise<[string, number][]> {
  const sockets = new Set<string>();
  for (const pid of await runtimesOf(platform))
    for (const name of await readdir(`/proc/${pid}/fd`))
      sockets.add(await readlink(`/proc/${pid}/fd/${name}`).catch(() => ""));
  const table = await readFile("/proc/net/tcp", "utf8");
  return table.split("\n").flatMap((line): [string, number][] => {
    const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
    if (state !== LISTENING || !sockets.has(`socket:[${inode}]`)) return [];
    const [address = "", port = ""] = local.split(":");
    const bytes = Buffer.from(address, "hex").toReversed();
    return [[[...bytes].join("."), Number.parseInt(port, 16)]];
  });
}

/** Deliver an event to each of them, and deploy code from one. */
async function deliverTo(eve: Tenant, port: number): Promise<void> {
  const emitter = await deploy(eve, endpoint("this.$emit({})"));
  for (const host of HOSTS) {
    const hook = await eve.call("POST", "/webhooks", {
      url: `http://${host}:${port}/`,
      name: "W",
    });
    if (hook.data?.id)
      await eve.call("POST", "/subscriptions", {
        emitter_id: emitter.id,
        listener_id: hook.data.id,
      });
  }
  await send(emitter.url, { method: "POST", body: {} });
  await eve.call("POST", "/components", { component_url: `http://localhost:${port}/c.mjs` });
  await wait(2000);
}
