import { readdir } from "node:fs/promises";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { type Attack, deploy, endpoint, hold, holdsService, newTenant, send } from "./world.ts";

const HOSTILE = endpoint(
  `this.http.respond({ status: 200, body: "<script>parent.hacked = 1</script>", headers: {
     "content-type": "text/html", "set-cookie": "session=stolen; Path=/; Domain=localhost",
     "service-worker-allowed": "/", "clear-site-data": '"*"',
     "content-security-policy": "sandbox allow-same-origin allow-scripts",
     "x-content-type-options": "off" } })`,
  { isCustom: true },
);

export const endpoints: Attack[] = [
  {
    name: "guessed endpoints and pauses leave no files behind",
    async run({ origin, stateDir }) {
      const letters = "0123456789abcdefghijklmnopqrstuvwxyz";
      const guess = (length: number) =>
        Array.from({ length }, () => letters[Math.floor(Math.random() * letters.length)]).join("");
      const paths = Array.from({ length: 25 }, () => [
        `/resume/${guess(44)}`,
        `/cancel/${guess(44)}`,
        `/e/${guess(44)}`,
        // A key of the current form: 26 random characters of this alphabet name no id.
        `/e/0${guess(51)}`,
      ]).flat();
      const before = await objectsIn(stateDir);
      for (const path of paths) {
        const { status } = await send(`${origin}${path}`, { method: "POST", body: {} });
        hold(status === 404, `${path} got ${status}`);
      }
      // Other attacks deploy a few meanwhile.
      const added = (await objectsIn(stateDir)) - before;
      hold(added < paths.length / 4, `${paths.length} guesses left ${added} objects`);
    },
  },
  {
    name: "an endpoint's page is isolated from the origin on which users type keys",
    async run(world) {
      const eve = await newTenant(world);
      const { url } = await deploy(eve, HOSTILE);
      const { headers } = await send(url, { method: "POST", body: {} });
      hold(!headers.has("service-worker-allowed"), "It may widen a service worker's scope");
      hold(!headers.has("clear-site-data"), "The page may clear the origin's data");
      hold(
        headers.get("x-content-type-options") === "nosniff",
        "Browsers may sniff the page's content type",
      );
      const policies = (headers.get("content-security-policy") ?? "").split(",");
      const ours = policies.some(
        (one) => one.trim() === "sandbox allow-scripts allow-forms allow-popups",
      );
      hold(ours, `Its policy is ${policies.join(",")}`);
      const { pathname } = new URL(url);
      const [cookie = ""] = headers.getSetCookie();
      const key = pathname.split("/").slice(0, 3).join("/");
      hold(
        cookie === "" ||
          (!/domain=/i.test(cookie) && new RegExp(`path=${key}(;|$)`, "i").test(cookie)),
        `Its cookie is ${cookie}`,
      );
    },
  },
  {
    name: "browsers neither store nor sniff private responses of the API",
    async run(world) {
      const ada = await newTenant(world);
      for (const path of ["/users/me", "/users/me/sources", "/nowhere"]) {
        const { headers } = await ada.call("GET", path);
        hold(headers.get("cache-control")?.includes("no-store"), `${path} may be stored`);
        hold(
          headers.get("x-content-type-options") === "nosniff",
          `The content type of ${path} may be sniffed`,
        );
      }
    },
  },
  {
    name: "a compressed body is unpacked only to the limit of bodies",
    async run(world) {
      const eve = await newTenant(world);
      const { url } = await deploy(eve, endpoint(""));
      const zeros = Buffer.alloc(100 * 1024 * 1024);
      const bombs = [
        ["gzip", gzipSync(zeros)],
        ["br", brotliCompressSync(zeros)],
        ["br, gzip", gzipSync(brotliCompressSync(zeros))],
      ] as const;
      for (const [coding, body] of bombs) {
        const headers = { "content-type": "application/json", "content-encoding": coding };
        const answers = await Promise.all(
          Array.from({ length: 20 }, () => fetch(url, { method: "POST", headers, body })),
        );
        const statuses = new Set(answers.map(({ status }) => status));
        hold(statuses.size === 1 && statuses.has(413), `${coding} got ${[...statuses].join(", ")}`);
      }
      await holdsService(world);
    },
  },
];

/** The number of databases of objects in a folder of state. */
async function objectsIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.endsWith(".sqlite")).length;
}
