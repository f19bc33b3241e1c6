import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";

import {
  type Attack,
  deploy,
  endpoint,
  eventsOf,
  hold,
  holdWithin,
  newTenant,
  newWorkspace,
  send,
} from "./world.ts";

const MAX_STREAMS = 100;
const BODY_TIMEOUT_MS = 30_000;

export const smallDoors: Attack[] = [
  {
    name: "no file contains a webhook's secret in plain text, and only its owner opens the state folder",
    async run(world) {
      const ada = await newTenant(world);
      const { data } = await ada.call("POST", "/webhooks", {
        url: "http://127.0.0.1:9/",
        name: "W",
      });
      const secret: string = data.signing_secret;
      hold(secret?.startsWith("whsec_"), "The webhook has no secret");
      const entries = await readdir(world.stateDir, { recursive: true, withFileTypes: true });
      for (const entry of entries.filter((one) => one.isFile())) {
        const bytes = await readFile(join(entry.parentPath, entry.name)).catch(() =>
          Buffer.alloc(0),
        );
        hold(!bytes.includes(secret.slice("whsec_".length)), `${entry.name} contains the secret`);
      }
      const { mode } = await stat(world.stateDir);
      hold((mode & 0o777) === 0o700, `The state folder has mode ${(mode & 0o777).toString(8)}`);
    },
  },
  {
    name: "an anonymous CONNECT opens no tunnel",
    async run({ origin }) {
      const { hostname, port } = new URL(origin);
      const line = await spoken(
        hostname,
        Number(port),
        "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n",
      );
      hold(line.startsWith("HTTP/1.1 405 "), `It got "${line.split("\r\n")[0]}"`);
    },
  },
  {
    name: "OPTIONS * and targets without a path get 400",
    async run({ origin }) {
      const { hostname, port, host } = new URL(origin);
      for (const target of ["*", "v1/users", "%2fv1"]) {
        const request = `OPTIONS ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
        const line = await spoken(hostname, Number(port), request);
        hold(line.startsWith("HTTP/1.1 400 "), `${target} got "${line.split("\r\n")[0]}"`);
      }
    },
  },
  {
    name: "an anonymous request reaches no internal route of the local runtime",
    async run({ origin }) {
      const headers = {
        "mf-route-override": "wellspring-bundler",
        "mf-original-url": "http://example.com/",
      };
      const routed = await send(`${origin}/health`, { headers });
      hold(routed.text.startsWith("{"), `Another Worker answers: ${routed.text.slice(0, 100)}`);
      for (const path of ["r2/public/wellspring-code/x", "platform-proxy", "scheduled"]) {
        const inner = await send(`${origin}/cdn-cgi/local/${path}`);
        const isNotFound = inner.status === 404 && inner.text.includes('"not_found"');
        hold(isNotFound, `${path} got ${inner.status} ${inner.text.slice(0, 100)}`);
      }
    },
  },
  {
    name: "a key has at most 100 streams",
    async run(world) {
      const eve = await newTenant(world);
      const source = await deploy(eve, endpoint("this.$emit({})"));
      const abort = new AbortController();
      try {
        const statuses: number[] = [];
        for (let n = 0; n < MAX_STREAMS + 5; n += 1) {
          const { headers, origin } = { headers: eve.headers, origin: world.origin };
          const response = await fetch(`${origin}/v1/sources/${source.id}/sse`, {
            headers,
            signal: abort.signal,
          });
          statuses.push(response.status);
        }
        const open = statuses.filter((status) => status === 200).length;
        hold(open <= MAX_STREAMS, `${open} streams are open`);
        hold(statuses.at(-1) === 429, `The stream above the limit got ${statuses.at(-1)}`);
      } finally {
        abort.abort();
      }
    },
  },
  {
    name: "a slow body is cut after 30 s",
    async run(world) {
      const eve = await newTenant(world);
      const source = await deploy(eve, endpoint("this.$emit({})"));
      const { hostname, port, pathname } = new URL(source.url);
      const startMs = performance.now();
      const head = `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: 1000\r\n\r\n`;
      await spoken(hostname, Number(port), head, BODY_TIMEOUT_MS + 8000, "x");
      hold(
        performance.now() - startMs < BODY_TIMEOUT_MS + 7000,
        "The server still waits for the body",
      );
    },
  },
  {
    name: "abortIsolate() fails its own run, and no other tenant's",
    async run(world) {
      const [eve, ada] = [await newTenant(world), await newTenant(world)];
      const code = endpoint(`abortIsolate("bye")`, {
        imports: `import { abortIsolate } from "cloudflare:workers";`,
      });
      const made = await eve.call("POST", "/sources", { component_code: code });
      if (made.status === 422) return;
      const other = await deploy(ada, endpoint("this.$emit({})"));
      const { status } = await send(made.data.configured_props.http.endpoint_url, {
        method: "POST",
        body: {},
      });
      hold(status < 500, `The caller got ${status}`);
      const path = `/sources/${made.data.id}/$errors/event_summaries?expand=event`;
      const isRecorded = async () => (await eve.call("GET", path)).data.length > 0;
      await holdWithin(20_000, isRecorded, "The platform recorded no error");
      await send(other.url, { method: "POST", body: {} });
      const isThere = async () => (await eventsOf(ada, other.id)).length === 1;
      await holdWithin(5000, isThere, "Another tenant's event is lost");
    },
  },
  {
    name: "the API rejects webhooks with credentials in the URL or a foreign workspace",
    async run(world) {
      const [ada, eve] = [await newTenant(world), await newTenant(world)];
      const workspace = await newWorkspace(world, ada);
      const named = await eve.call("POST", "/webhooks", {
        url: "http://user:secret@example.com/",
        name: "W",
      });
      hold(named.status === 400, `A URL with a password got ${named.status}`);
      for (const field of ["workspace_id", "org_id"]) {
        const body = { url: "http://example.com/", name: "W", [field]: workspace };
        const inBody = await eve.call("POST", "/webhooks", body);
        const inQuery = await eve.call("POST", `/webhooks?${field}=${workspace}`, {
          url: "http://example.com/",
          name: "W",
        });
        hold(
          inBody.status === inQuery.status,
          `${field}: ${inBody.status} in the body, ${inQuery.status} in the query`,
        );
        hold(inBody.status === 404 || inBody.status === 403, `${field} got ${inBody.status}`);
      }
      const source = await eve.call("POST", "/sources", {
        component_code: endpoint(""),
        workspace_id: workspace,
      });
      hold(source.status === 404 || source.status === 403, `A source got ${source.status}`);
    },
  },
];

/** The invalid documents that the registry of the attacks serves, by package name (registry.ts). */
for (const name of ["odd-shasum", "odd-integrity", "no-dist", "no-json"])
  smallDoors.push({
    name: `a registry that returns an invalid document (${name}) causes a 502`,
    async run(world) {
      const eve = await newTenant(world);
      const component_code = endpoint("this.$emit({})", { imports: `import "${name}";` });
      const { status, text } = await eve.call("POST", "/sources", { component_code });
      hold(status === 502 || status === 422, `It got ${status}: ${text.slice(0, 200)}`);
    },
  });

/** Send text over a raw connection. Returns the response until the connection closes or the time limit passes. */
async function spoken(
  host: string,
  port: number,
  text: string,
  ms = 5000,
  drip?: string,
): Promise<string> {
  const socket = connect(port, host);
  await once(socket, "connect");
  socket.write(text);
  let output = "";
  const dripping = drip && setInterval(() => socket.write(drip, () => {}), 1000);
  return new Promise((done) => {
    const end = (): void => {
      if (dripping) clearInterval(dripping);
      socket.destroy();
      done(output);
    };
    const timer = setTimeout(end, ms);
    socket.on("data", (chunk) => {
      output += String(chunk);
      if (!drip) end();
    });
    socket.on("error", end).on("close", () => {
      clearTimeout(timer);
      end();
    });
  });
}
