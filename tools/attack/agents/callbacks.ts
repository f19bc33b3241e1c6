import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { startPlatform } from "../../scripts/platform.ts";
import { type Attack, deploy, endpoint, hold, holdWithin, send, type World } from "../world.ts";
import {
  type Callback,
  holdGranted,
  isSigned,
  newSecret,
  startCallback,
  subscriber,
} from "./callback.ts";
import { type Agent, holdRefused, keyedAgent, newAgent } from "./mcp.ts";

const INVALID = -32_602;
const NOT_FOUND = -32_023;
const CALLBACK_FAILED = -32_027;

/** Addresses of this machine and of private networks, in every notation. */
const PRIVATE_HOSTS = [
  "localhost",
  "localhost.",
  "localhost.localdomain",
  "127.0.0.1",
  "127.1",
  "0x7f.1",
  "2130706433",
  "0.0.0.0",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "127。0。0。1",
  "127.0.0.1.nip.io",
  hostname(),
];

/** A source of a new user with an agent, which emits each event that it is sent. */
async function newStage(world: World) {
  const { agent, tenant } = await newAgent(world);
  const { id, url } = await deploy(tenant, endpoint("this.$emit(event.body)"));
  const emit = (body: object) => send(url, { method: "POST", body });
  return { agent, tenant, source: id, emit };
}

/** Run an attack with callbacks, which are closed after it. */
async function withCallbacks(
  callbacks: readonly Callback[],
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } finally {
    for (const { close } of callbacks) close();
  }
}

async function holdEvents({ messages }: Callback, count: number, what: string): Promise<void> {
  await holdWithin(10_000, async () => messages().length === count, `${what}: no event arrived`);
}

export const callbacks: Attack[] = [
  {
    name: "a callback that redirects its challenge is not verified by the target",
    async run(world) {
      const { agent, source } = await newStage(world);
      const target = await startCallback();
      for (const status of [301, 302, 303, 307, 308]) {
        const away = await startCallback(() => ({ status, headers: { location: target.url } }));
        await withCallbacks([away], async () => {
          const refused = await subscriber(agent, source, away.url).subscribe();
          holdRefused(refused, CALLBACK_FAILED, `A redirect with ${status}`);
          hold(away.requests.length === 1, "The callback got no challenge");
        });
      }
      await withCallbacks([target], async () => {
        hold(target.requests.length === 0, "A redirect was followed");
        holdGranted(await subscriber(agent, source, target.url).subscribe());
      });
    },
  },
  {
    name: "a callback that redirects events sends them nowhere",
    async run(world) {
      const { agent, source, emit } = await newStage(world);
      const [target, twin] = [await startCallback(), await startCallback()];
      const away = await startCallback(({ body }) =>
        body.type === "verification"
          ? undefined
          : { status: 307, headers: { location: target.url } },
      );
      await withCallbacks([target, twin, away], async () => {
        for (const { url } of [away, twin])
          holdGranted(await subscriber(agent, source, url).subscribe());
        await emit({ id: 1 });
        await holdEvents(twin, 1, "Without a redirect");
        await holdEvents(away, 1, "With a redirect");
        await wait(500);
        hold(target.requests.length === 0, "An event followed a redirect");
      });
    },
  },
  {
    name: "with ALLOW_PRIVATE_TARGETS=false no callback is on this machine or in a private network",
    async run(world) {
      const listener = createServer((socket) => socket.destroy()).listen(0);
      let connections = 0;
      listener.on("connection", () => (connections += 1));
      await once(listener, "listening");
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a port has a port.
      const { port } = listener.address() as AddressInfo;
      try {
        const open = await newStage(world);
        const { error } = await callTo(open, `https://127.0.0.1:${port}/`);
        hold(error && connections > 0, "Where private targets are allowed, none is connected");
        connections = 0;
        await onClosedPlatform(async (closed) => {
          const stage = await newStage(closed);
          for (const host of PRIVATE_HOSTS)
            for (const protocol of ["https", "http"]) {
              const refused = await callTo(stage, `${protocol}://${host}:${port}/`);
              hold(refused.error, `${protocol}://${host} was accepted`);
              hold(connections === 0, `${protocol}://${host} was connected`);
            }
        });
      } finally {
        listener.close();
      }
    },
  },
  {
    name: "a callback's URL has no credentials, no fragment and no other scheme, also where private targets are allowed",
    async run(world) {
      const stage = await newStage(world);
      const callback = await startCallback();
      await withCallbacks([callback], async () => {
        const { host } = new URL(callback.url);
        for (const url of [
          `http://user:key@${host}/hook`,
          `${callback.url}#part`,
          `ftp://${host}/hook`,
          `javascript:fetch("http://${host}/hook")`,
          `data:text/plain,hook`,
          "http://10.0.0.1/hook",
          "http://example.com/hook",
        ])
          holdRefused(await callTo(stage, url), INVALID, url);
        hold(callback.requests.length === 0, "A refused callback got a request");
        holdGranted(await callTo(stage, callback.url));
      });
    },
  },
  {
    name: "a secret that another agent uses, or that was replaced, is refused as a replay",
    async run(world) {
      const [victim, attacker] = [await newStage(world), await newStage(world)];
      const [callback, other] = [await startCallback(), await startCallback()];
      const by = (secret: string) => subscriber(victim.agent, victim.source, callback.url, secret);
      await withCallbacks([callback, other], async () => {
        const [first, second] = [newSecret(), newSecret()];
        holdGranted(await by(first).subscribe());
        holdGranted(await by(second).subscribe());
        holdRefused(await by(first).subscribe(), INVALID, "A replaced secret");
        const stolen = (secret: string) =>
          subscriber(attacker.agent, attacker.source, other.url, secret).subscribe();
        holdRefused(await stolen(second), INVALID, "A secret of another agent");
        hold(other.requests.length === 0, "It signed a challenge with the stolen secret");
        holdGranted(await stolen(newSecret()));
        await attacker.emit({ id: 1 });
        await holdEvents(other, 1, "With a secret of its own");
        hold(!other.requests.some((one) => isSigned(one, second)), "The stolen secret signed it");
      });
    },
  },
  {
    name: "a subscription sends nothing after its lifetime, and nobody revives it",
    async run(world) {
      const { agent, tenant, source, emit } = await newStage(world);
      const [callback, twin] = [await startCallback(), await startCallback()];
      await withCallbacks([callback, twin], async () => {
        const short = subscriber(agent, source, callback.url);
        holdGranted(await short.subscribe({ ttlMs: 1 }));
        holdGranted(await subscriber(agent, source, twin.url).subscribe({ ttlMs: 60_000 }));
        await wait(2100);
        await emit({ id: 1 });
        await holdEvents(twin, 1, "Within the lifetime");
        hold(callback.messages().length === 0, "An event was sent after the lifetime");
        holdRefused(await short.unsubscribe(), NOT_FOUND, "Ending an expired subscription");
        const robot = await keyedAgent(world, tenant, "read subscribe");
        const others = subscriber(robot, source, callback.url, short.secret);
        hold((await others.subscribe()).error, "Another agent took over the subscription");
      });
    },
  },
];

function callTo({ agent, source }: { agent: Agent; source: string }, url: string) {
  return subscriber(agent, source, url).subscribe();
}

/** Run work on a platform that reaches no private network. */
async function onClosedPlatform(work: (world: World) => Promise<void>): Promise<void> {
  const stateDir = await mkdtemp(join(tmpdir(), "wellspring-attack-"));
  const variables = { ALLOW_PRIVATE_TARGETS: "false", LOG_LEVEL: "silent" };
  const platform = await startPlatform({ stateDir, variables });
  try {
    await work({ platform, stateDir, origin: new URL(platform.url).origin });
  } finally {
    await platform.stop();
    await rm(stateDir, { recursive: true, force: true });
  }
}
