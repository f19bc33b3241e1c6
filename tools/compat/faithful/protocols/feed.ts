import { content, routes } from "../fake.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** Feeds report unchanged content by an ETag. */
async function feed(stage: Stage): Promise<void> {
  const titles = ["One & all", "Two"];
  const statuses: number[] = [];
  const xml = (): string =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>News</title>${titles
      .map(
        (title, index) =>
          `<item><guid isPermaLink="false">g${index}</guid><title><![CDATA[${title}]]></title><link>https://feed.example/${index}</link></item>`,
      )
      .join("")}</channel></rss>`;
  stage.serve(
    routes({
      "GET feed.example/rss.xml": ({ headers }) => {
        const etag = `W/"${titles.length}"`;
        const isSame = headers["if-none-match"] === etag;
        statuses.push(isSame ? 304 : 200);
        if (isSame) return { status: 304, headers: { etag } };
        const reply = content("application/rss+xml; charset=utf-8", xml());
        return { ...reply, headers: { ...reply.headers, etag } };
      },
    }),
  );
  await stage.deploy({ url: "https://feed.example/rss.xml" });
  await stage.tick();
  await stage.tick();
  titles.push("Three");
  await stage.tick();
  const items = await stage.emitted<{ title: string }>(3);
  stage.equal("the titles", items.map(({ title }) => title).toSorted(), [
    "One & all",
    "Three",
    "Two",
  ]);
  // A timer also fires once on deploy.
  stage.equal("the first and the last", [statuses[0], statuses.at(-1)], [200, 200]);
  stage.equal("those between", [...new Set(statuses.slice(1, -1))], [304]);
}

export const FEEDS: Scenario[] = [
  {
    protocol: "RSS with ETag",
    component: "components/feed/sources/new-item/new-item.mjs",
    credentials: {},
    play: feed,
  },
];
