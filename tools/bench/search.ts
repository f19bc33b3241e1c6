import type { DatabaseSync } from "node:sqlite";

import { INDEX_VERSION, type Searchable, termsOf } from "#domain/search.ts";
import { spellingsOf } from "#domain/spelling.ts";

import { call, type Caller } from "../scripts/api.ts";
import { startPlatform } from "../scripts/platform.ts";
import { percentile } from "./statistics.ts";
import { changeDirectory, newProject, withFolder } from "./targets.ts";

const COMPONENTS = 10_000;
const CALLS_A_QUERY = 200;

/** The queries, and the pattern of each query's right keys. */
const QUERIES: readonly [query: string, right: RegExp][] = [
  ["send sms", /-send-sms$/],
  ["new stripe invoice", /^stripe-new-invoice$/],
  ["create contact", /-create-contact$/],
  ["new form submission", /-new-form-submission$/],
  ["github issue comment", /^github-(new|create)-issue-comment$/],
  ["upload file", /-upload-file$/],
  ["openai text to speech", /^openai-text-to-speech$/],
  ["send slack message", /^slack-send-message$/],
  ["list invoices", /-list-invoices$/],
  ["notify me when a form is submitted", /-new-form-submission$/],
  ["send slak mesage", /^slack-send-message$/],
];

const APPS =
  "slack github stripe twilio openai hubspot google_drive dropbox typeform xero jira gitlab discord notion";
const NOUNS =
  `invoice contact file message issue comment form submission customer order payment deal ticket task project
  note event lead page document folder channel email text speech image video review refund product subscription campaign
  list report record table row user team company board card label branch commit release webhook call meeting survey
  answer booking course quote contract signature shipment address tax account balance transfer employee`.split(
    /\s+/,
  );
const ONES: readonly [app: string, name: string][] = [
  ["twilio", "Send SMS"],
  ["stripe", "New Invoice"],
  ["stripe", "Create Invoice"],
  ["openai", "Text to Speech"],
  ["openai", "Speech to Text"],
  ["slack", "Send Message"],
  ["slack", "Update Message"],
  ["discord", "Send Message"],
  ["google_drive", "Upload File"],
  ["dropbox", "Upload File"],
  ["hubspot", "New Form Submission"],
  ["hubspot", "Submit Form"],
  ["github", "New Issue Comment"],
  ["gitlab", "New Issue Comment"],
];
const NOUNS_AN_APP = 10;
const SYLLABLES = "ba co di fu ga hel in jo ka lu mer no or pi qua ros sel ti ul ver".split(" ");

/** Print the duration of the registry's search, by HTTP and one call at a time, and the share of right results. */
export function measureSearch(): Promise<void> {
  return withFolder(async (stateDir) => {
    const empty = await startPlatform({ stateDir });
    await empty.stop();
    await changeDirectory(stateDir, insertComponents);
    const platform = await startPlatform({ stateDir });
    try {
      const project = await newProject(platform);
      console.log(`The registry has ${COMPONENTS.toLocaleString("en")} components:\n`);
      console.log("| query | found | right one | p50 ms | p99 ms |\n|---|---|---|---|---|");
      const all: number[] = [];
      for (const [query, right] of QUERIES) all.push(...(await measure(platform, query, right)));
      report("all of them", all);
      report("no search: who calls", await timesOf(platform, "/users/me"));
      const ofConnect: number[] = [];
      for (const [query] of QUERIES)
        ofConnect.push(...(await timesOf(project, `/components?q=${encodeURIComponent(query)}`)));
      report("the same by Connect", ofConnect);
    } finally {
      await platform.stop();
    }
  });
}

async function measure(caller: Caller, query: string, right: RegExp): Promise<number[]> {
  const path = `/components/search?query=${encodeURIComponent(query)}`;
  const found = await call<{ key: string }[]>(caller, `${path}&limit=100`);
  const place = 1 + found.findIndex(({ key }) => right.test(key));
  if (place < 1 || place > 3) process.exitCode = 1;
  const times = await timesOf(caller, path);
  report(`${query} | ${found.length === 100 ? "100 or more" : found.length} | ${place}`, times);
  return times;
}

function report(name: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const shown = [0.5, 0.99].map((share) => percentile(sorted, share).toFixed(1)).join(" | ");
  console.log(`| ${name.includes("|") ? name : `${name} | | `} | ${shown} |`);
}

async function timesOf(caller: Caller, path: string): Promise<number[]> {
  const times: number[] = [];
  for (let made = 0; made < CALLS_A_QUERY; made += 1) {
    const startedMs = performance.now();
    await call(caller, path);
    times.push(performance.now() - startedMs);
  }
  return times;
}

/** Publish components as rows alone: a search reads nothing else. */
function insertComponents(db: DatabaseSync): void {
  const component = db.prepare(`INSERT INTO components (id, owner_id, user_id, key, name, version,
    code_hash, bundle_hash, definition, created_at, updated_at)
    VALUES (?, 'u_registry', 'u_registry', ?, ?, '0.0.1', '', '', ?, 1, 1)`);
  const entry = db.prepare(
    "INSERT INTO registry_entries (key, version, component_id, created_at, updated_at) VALUES (?, '0.0.1', ?, 1, 1)",
  );
  const index = indexer(db);
  db.exec("BEGIN");
  for (const [at, { type, app, ...shown }] of components().entries()) {
    const id = `sc_${at}`;
    const props = [{ name: "app", type: "app", app }];
    const definition = { ...shown, version: "0.0.1", type, runs: true, hooks: [], props };
    component.run(id, shown.key, shown.name, JSON.stringify(definition));
    entry.run(shown.key, id);
    index(id, { ...shown, apps: [app] });
  }
  db.exec("COMMIT");
}

function indexer(db: DatabaseSync): (id: string, component: Searchable) => void {
  const into = (table: string, ...columns: string[]) =>
    db.prepare(
      `INSERT OR IGNORE INTO ${table} (${columns.join()}) VALUES (${columns.map(() => "?").join()})`,
    );
  const indexed = into("registry_indexed", "component_id", "key", "index_version");
  const term = into("registry_terms", "term", "key", "weight");
  const word = into("registry_words", "word", "term");
  const spelling = into("registry_spellings", "spelling", "word");
  return (id, component) => {
    indexed.run(id, component.key, INDEX_VERSION);
    const { weights, words } = termsOf(component);
    for (const [text, weight] of Object.entries(weights)) term.run(text, component.key, weight);
    for (const one of words) {
      word.run(one.word, one.term);
      for (const text of spellingsOf(one.word)) spelling.run(text, one.word);
    }
  };
}

type Published = Searchable & { type: "source" | "action"; app: string };

/** Components with realistic names: some by hand, the others of each app new, create, update and list. */
function components(): Published[] {
  const made = new Map(
    ONES.map(([app, name]) => published(app, name)).map((one) => [one.key, one]),
  );
  for (let index = 0; made.size < COMPONENTS; index += 1) {
    const app = APPS.split(" ")[index] ?? appOf(index);
    for (let at = 0; at < NOUNS_AN_APP; at += 1) {
      // Each app begins at another noun, so that many apps have every noun.
      const noun = capital(NOUNS[(index * 7 + at) % NOUNS.length] ?? "");
      for (const name of [`New ${noun}`, `Create ${noun}`, `Update ${noun}`, `List ${noun}s`]) {
        const one = published(app, name);
        if (made.size < COMPONENTS) made.set(one.key, one);
      }
    }
  }
  return [...made.values()];
}

function published(app: string, name: string): Published {
  const slug = name.toLowerCase().replaceAll(" ", "-");
  const isSource = name.startsWith("New ");
  const does = isSource
    ? `Emit new event when there is a ${name.toLowerCase()} in your account, with all of its fields`
    : `${name} in your account with the given fields, and return the API's response`;
  return {
    key: `${app}-${slug}`,
    name,
    description: `${does}. [See the documentation](https://${app}.example/docs/${slug})`,
    type: isSource ? "source" : "action",
    app,
  };
}

function appOf(index: number): string {
  const [one, two, three] = [1, SYLLABLES.length, SYLLABLES.length ** 2].map(
    (size) => SYLLABLES[Math.floor((index * 11) / size) % SYLLABLES.length],
  );
  return `${one}${two}${three}${index % 2 === 0 ? "" : "_crm"}`;
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
