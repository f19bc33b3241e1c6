import { spawn } from "node:child_process";
import { access } from "node:fs/promises";

import { type Attack, deploy, endpoint, eventsOf, hold, newTenant } from "./world.ts";

/** Where systems keep a Chromium; CHROMIUM names another. */
const BROWSERS = [
  process.env["CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

export const browser: Attack[] = [
  {
    name: "a page of an endpoint cannot read the API's origin in a real browser",
    async run(world) {
      const path = await installed();
      if (path === undefined) {
        console.log(
          "       There is no Chromium on this machine (CHROMIUM names one): headers alone were judged",
        );
        return;
      }
      const eve = await newTenant(world);
      const { id, url } = await deploy(eve, endpoint(PAGE(world.origin), { isCustom: true }));
      await visit(path, url);
      const events = await eventsOf(eve, id);
      const reports = events.map(({ event }) => event).filter((event) => event.report);
      hold(reports.length > 0, "The page did not run, so nothing was tried");
      for (const { report } of reports) hold(!report.includes("reached"), `The page ${report}`);
    },
  },
];

/** What it could do is reported back to the endpoint. */
const PAGE = (origin: string): string => `
if (event.path === "/report") { this.$emit({ report: event.query.what }); return this.http.respond({ status: 200, headers: { "access-control-allow-origin": "*" } }); }
this.http.respond({ status: 200, headers: { "content-type": "text/html" }, body: \`<script>
const base = location.href.replace(/\\\\/$/, "");
const report = (what) => fetch(base + "/report?what=" + encodeURIComponent(what), { mode: "no-cors" });
const attempts = {
  storage: () => { localStorage.setItem("x", "1"); return "reached storage"; },
  cookie: () => { document.cookie = "x=1; path=/"; return document.cookie ? "reached cookies" : "has no cookies"; },
  worker: async () => { await navigator.serviceWorker.register(base + "/sw.js", { scope: "/" }); return "reached service workers"; },
  docs: async () => (await (await fetch("${origin}/docs")).text()).length > 0 ? "reached /docs" : "read nothing",
};
(async () => { for (const [name, attempt] of Object.entries(attempts)) { let what; try { what = await attempt(); } catch (error) { what = name + " failed: " + error.name; } await report(what); } })();
<\\/script>\` });`;

async function installed(): Promise<string | undefined> {
  for (const path of BROWSERS) {
    const isThere =
      path !== "" &&
      (await access(path).then(
        () => true,
        () => false,
      ));
    if (isThere) return path;
  }
  return undefined;
}

async function visit(path: string, url: string): Promise<void> {
  const args = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--virtual-time-budget=8000",
    "--dump-dom",
    url,
  ];
  const child = spawn(path, args, { stdio: "ignore", timeout: 20_000 });
  await new Promise((done) => child.once("exit", done));
}
