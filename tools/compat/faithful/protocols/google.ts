import { type Fake, json, jsonOf, routes } from "../fake.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

type Channel = { id: string; type: string; address: string; expiration?: string };
type Watches = Map<string, Channel & { resourceId: string }>;

const FILE = { id: "sheet-1", name: "Book", mimeType: "application/vnd.google-apps.spreadsheet" };

/** Google Drive's push channels: watch, the `sync` message that comes first, and stop. `opened`: each channel's id. */
function drive(watches: Watches, opened: string[] = []): Fake {
  const watch = (channel: Channel) => {
    if (channel.type !== "web_hook") return json({ error: { message: "Invalid type" } }, 400);
    const resourceId = `resource-of-${channel.id.slice(0, 4)}`;
    watches.set(channel.id, { ...channel, resourceId });
    opened.push(channel.id);
    const expiration = String(Date.now() + 3_600_000);
    return json({
      kind: "api#channel",
      id: channel.id,
      resourceId,
      resourceUri: "https://x",
      expiration,
    });
  };
  const host = "www.googleapis.com/drive/v3";
  return routes({
    [`GET ${host}/changes/startPageToken`]: () => json({ startPageToken: "41" }),
    [`POST ${host}/changes/watch`]: (request) => watch(jsonOf<Channel>(request)),
    [`POST ${host}/files/:id/watch`]: (request) => watch(jsonOf<Channel>(request)),
    [`GET ${host}/changes`]: ({ url }) =>
      json({
        changes: [{ fileId: FILE.id, removed: false, file: FILE }],
        newStartPageToken: String(Number(url.searchParams.get("pageToken")) + 1),
      }),
    [`POST ${host}/channels/stop`]: (request) => {
      const { id, resourceId } = jsonOf<{ id: string; resourceId: string }>(request);
      const isKnown = watches.get(id)?.resourceId === resourceId && watches.delete(id);
      return isKnown
        ? { status: 204 }
        : json({ error: { code: 404, message: "Channel not found" } }, 404);
    },
    [`GET ${host}/files/:id`]: () => json(FILE),
    [`GET ${host}/files`]: () => json({ files: [FILE] }),
    [`GET ${host}/drives`]: () => json({ drives: [] }),
  });
}

/** Google Sheets: the spreadsheet, and the values of a range. */
function sheets(rows: string[][]): Fake {
  const properties = { sheetId: 0, title: "Sheet1", index: 0, sheetType: "GRID" };
  const grid = { rowCount: 1000, columnCount: 26 };
  const host = "sheets.googleapis.com/v4/spreadsheets";
  const inRange = (range: string): object => {
    const [, from = "1", to = String(rows.length)] = /!\D*(\d+):\D*(\d+)?$/.exec(range) ?? [];
    const values = rows.slice(Number(from) - 1, Number(to));
    return { range, majorDimension: "ROWS", ...(values.length > 0 && { values }) };
  };
  return routes({
    [`GET ${host}/:id`]: ({ params: { id = "" } }) =>
      json({
        spreadsheetId: id,
        properties: { title: "Book" },
        sheets: [{ properties: { ...properties, gridProperties: grid } }],
      }),
    [`GET ${host}/:id/values:batchGet`]: ({ url }) =>
      json({ spreadsheetId: FILE.id, valueRanges: url.searchParams.getAll("ranges").map(inRange) }),
    [`GET ${host}/:id/values/:range`]: ({ params: { range = "" } }) => json(inRange(range)),
  });
}

/** A channel's message: headers alone, and no body. */
async function notify(stage: Stage, watches: Watches, state: string): Promise<void> {
  const [channel] = watches.values();
  if (!channel) throw new Error("There is no channel");
  await stage.push({
    headers: {
      "x-goog-channel-id": channel.id,
      "x-goog-resource-id": channel.resourceId,
      "x-goog-resource-state": state,
      "x-goog-message-number": "1",
    },
  });
}

/** Rows are added to a sheet: the source reads new ones when the channel sends a message. */
async function newRows(stage: Stage): Promise<void> {
  const rows = [
    ["name", "sum"],
    ["ada", "1"],
  ];
  const watches: Watches = new Map();
  stage.serve(drive(watches), sheets(rows));
  await stage.deploy({ sheetID: FILE.id, worksheetIDs: ["0"], watchedDrive: "My Drive" });
  stage.equal(
    "who is notified",
    [...watches.values()].map(({ address }) => address),
    [stage.endpoint],
  );
  await stage.emitted(2);
  await notify(stage, watches, "sync");
  rows.push(["grace", "2"]);
  await notify(stage, watches, "update");
  const first = await stage.emitted<{ newRow: string[] }>(3);
  stage.equal("the first new row", first[2]?.newRow, ["grace", "2"]);
  rows.push(["edsger", "3"]);
  await notify(stage, watches, "update");
  const second = await stage.emitted<{ newRow: string[] }>(4);
  stage.equal("the second new row", second[3]?.newRow, ["edsger", "3"]);
  await stage.stop();
  stage.equal("remaining channels", watches.size, 0);
}

/** A folder is watched: the source lists changes from its stored token. */
async function changes(stage: Stage): Promise<void> {
  const watches: Watches = new Map();
  const opened: string[] = [];
  stage.serve(drive(watches, opened));
  await stage.deploy();
  // The timer's first tick renews the channel at once, and in between there is no channel.
  await stage.until("the first tick's channel", () => opened.length === 2);
  await notify(stage, watches, "sync");
  await notify(stage, watches, "change");
  const events = await stage.emitted<{ fileId: string; token: string }>(1);
  stage.equal("the change", events, [{ fileId: FILE.id, token: "41" }]);
  const before = [...watches.keys()];
  await stage.tick();
  stage.equal(
    "the channel was renewed",
    [...watches.keys()].length === 1 && !watches.has(before[0] ?? ""),
    true,
  );
  await stage.stop();
  stage.equal("remaining channels", watches.size, 0);
}

const credentials = { oauth_access_token: "token-1" };

export const GOOGLE: Scenario[] = [
  {
    protocol: "Google push channels",
    component: "components/drive_like/sources/new-change/new-change.mjs",
    credentials,
    play: changes,
  },
  {
    protocol: "Google push channels and Sheets",
    component: "components/google_sheets/sources/new-row-added/new-row-added.mjs",
    credentials,
    follows: "google_sheets-new-row-added 0.1.2, March 2024",
    play: newRows,
  },
];
