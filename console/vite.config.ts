import { join } from "node:path";

import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The platform whose API a development server passes on to. */
const PLATFORM = process.env["WELLSPRING_URL"] ?? "http://127.0.0.1:8787";

/** Paths that the Worker serves itself; everything else under /console is the console's. */
const WORKER_PATHS = [
  "/v1",
  "/admin",
  "/health",
  "/docs",
  "/schemas",
  "/connect",
  "/_static",
  "/console/session",
  "/e/",
];

/** The weights of an icon that nothing here shows: each icon of the library brings all six. */
const UNUSED_WEIGHT = /  \[\n    "(?:duotone|light|thin)",[^]*?\n  \],?\n/g;

/** Leaves out of icons what is never shown, which is half of them. */
const slimIcons: Plugin = {
  name: "slim-icons",
  transform: (code, id) =>
    id.includes("@phosphor-icons/react/dist/defs/")
      ? { code: code.replaceAll(UNUSED_WEIGHT, ""), map: null }
      : null,
};

/** The library's tooltip, which each of its buttons imports. */
const TOOLTIP_CHUNK = /@cloudflare\/kumo\/dist\/chunks\/tooltip-[a-z0-9]+\.js$/;

/** Has buttons show tooltips of our own: the library's load what places popups, though nothing was pointed at. */
const slimTooltips: Plugin = {
  name: "slim-tooltips",
  transform(code, id) {
    if (!TOOLTIP_CHUNK.test(id)) return null;
    const exported = /\bexport \{[^}]*\};?\s*$/.exec(code)?.[0];
    if (exported === undefined) throw new Error(`${id} exports nothing that could be replaced`);
    const file = join(import.meta.dirname, "src/tooltip/tooltip.tsx");
    const own = `import { Tooltip, TooltipProvider } from ${JSON.stringify(file)};\n${exported}`;
    return { code: own, map: null };
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  plugins: [slimIcons, slimTooltips, react(), tailwindcss()],
  resolve: {
    alias: {
      "@wellspring/client": join(import.meta.dirname, "../packages/client/src/index.ts"),
    },
    dedupe: ["react", "react-dom"],
  },
  build: {
    outDir: process.env["CONSOLE_OUT_DIR"] ?? join(import.meta.dirname, "../assets/console"),
    emptyOutDir: true,
    // The policy of the page admits no data: scripts, and fonts are files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    host: "127.0.0.1",
    // The session's cookie counts for requests of the platform's own origin alone.
    proxy: Object.fromEntries(
      WORKER_PATHS.map((path) => [
        path,
        { target: PLATFORM, changeOrigin: true, headers: { origin: PLATFORM } },
      ]),
    ),
  },
});
