import { type Attack, hold, newTenant, operate, send } from "./world.ts";

const PATHS = [
  "/backup/seal",
  "/backup/check",
  "/backup/objects/sources",
  "/backup/records/x",
  "/backup/files/bundles",
  "/backup/files/bundles/00",
];

export const backup: Attack[] = [
  {
    name: "no key and no tenant reads or writes a backup",
    async run(world) {
      const eve = await newTenant(world);
      for (const path of PATHS) {
        for (const method of ["GET", "PUT", "POST"]) {
          const url = `${world.origin}/admin${path}`;
          for (const headers of [
            {},
            eve.headers,
            { authorization: "Bearer " },
            { authorization: "Bearer undefined" },
          ]) {
            const { status } = await send(url, {
              method,
              headers,
              ...(method !== "GET" && { body: {} }),
            });
            hold([401, 403, 404, 405, 429].includes(status), `${method} ${path}: ${status}`);
          }
        }
      }
    },
  },
  {
    name: "paths and rows of a backup stay in their folders and tables",
    async run(world) {
      const tries = [
        ["GET", "/backup/files/bundles/..%2f..%2fsecrets.env"],
        ["GET", "/backup/files/..%2fbundles/00"],
        ["PUT", "/backup/files/bundles/..%2fx"],
        ["PUT", "/backup/files/bundles/not-its-hash"],
        ["GET", "/backup/objects/users;drop"],
        ["PUT", "/backup/objects/sources"],
        ["POST", "/backup/seal"],
        ["POST", "/backup/check"],
        ["GET", "/backup/records/%27%20OR%201=1--"],
      ] as const;
      for (const [method, path] of tries) {
        const bodies =
          method === "GET" ? [undefined] : ["{", "[]", '{"__proto__":1}', "[".repeat(5000)];
        for (const body of bodies) {
          const { status, text } = await operate(world, method, path, body);
          hold(status < 500, `${method} ${path} got ${status}: ${text.slice(0, 200)}`);
          hold(!text.includes("ADMIN_TOKEN"), `${path} gives a secret away`);
        }
      }
    },
  },
];
