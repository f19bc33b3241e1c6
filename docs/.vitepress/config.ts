import { defineConfig } from "vitepress";

import { anchorOf } from "./anchors.ts";
import { SECTIONS } from "./contents.ts";

/** The documentation site. `npm run build:docs` builds it from a copy of its pages, beside which this folder lies. */
export default defineConfig({
  title: "Wellspring",
  description: "Event sources at the edge",
  lang: "en",
  base: "/docs/",
  cleanUrls: true,
  head: [["link", { rel: "icon", href: "data:," }]],
  // Pages are documents of Markdown, whose braces and angle brackets mean nothing else.
  markdown: { html: false, anchor: { slugify: anchorOf } },
  themeConfig: {
    search: { provider: "local" },
    nav: [
      { text: "Quick start", link: "/quick-start" },
      { text: "API reference", link: "/api", target: "_self" },
    ],
    sidebar: SECTIONS.map(({ title, pages }) => ({
      text: title,
      items: pages.map(({ name, title: text }) => ({
        text,
        link: name === "index" ? "/" : `/${name}`,
      })),
    })),
    outline: [2, 3],
  },
});
