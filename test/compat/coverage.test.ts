import { expect, test } from "vitest";

const FOLDER = "../fixtures/compat/";

const files: Record<string, string> = import.meta.glob("../fixtures/compat/**/*.{mjs,js,ts,md}", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** A pattern for each feature of the table. */
const FEATURES: Record<string, RegExp> = {
  "`$.service.db`": /"\$\.service\.db"/,
  "app prop with `$auth`": /this\.\$auth/,
  timer: /\$\.interface\.timer/,
  http: /\$\.interface\.http"/,
  "timer and http": /interface\.http[\s\S]*interface\.timer/,
  "`propDefinition`": /propDefinition: \[common\.props\.beacon, "channelId"\]/,
  "`propDefinition` with a function": /\(\{ channelId \}\) => |\(c\) => /,
  "dedupe unique": /dedupe: "unique"/,
  "dedupe greatest": /dedupe: "greatest"/,
  "dedupe last": /dedupe: "last"/,
  "dedupe none": /^(?![\s\S]*dedupe)/,
  "async `options`": /async options\(/,
  "`useQuery`": /useQuery: true/,
  "`withLabel`": /withLabel: true/,
  "hook deploy": /async deploy\(/,
  "hook activate": /async activate\(/,
  "hook deactivate": /async deactivate\(/,
  "`additionalProps` with `reloadProps`": /reloadProps: true[\s\S]*additionalProps\(/,
  "`customResponse`": /customResponse: true[\s\S]*\.respond\(/,
  "emit with `id`, `summary`, `ts`": /id: [\s\S]*summary: [\s\S]*ts: /,
  TypeScript: /summaryOf\(\{ name \}: Stone\): string/,
  "`require()`": /require\("crypto"\)/,
  "`db.get` without await": /return this\.db\.get/,
  "`db.get` with await": /await this\.db\.get/,
  "npm: `@pipedream/platform`": /from "@pipedream\/platform"/,
  "npm: uuid, lodash, async-retry, moment, bottleneck, axios":
    /(?=[\s\S]*"async-retry")(?=[\s\S]*"axios")(?=[\s\S]*"bottleneck")(?=[\s\S]*"lodash")(?=[\s\S]*"moment")(?=[\s\S]*"uuid")/,
  "npm: form-data": /from "form-data"/,
  "methods passed detached": /\.(?:forEach|map)\(this\.\w+\)/,
  "`const {a, b} = this`": /const \{[^}]+\} = this;/,
  "Node built-ins: crypto": /from "crypto"/,
  "Node built-ins: util, stream, fs, path, url, zlib, https":
    /(?=[\s\S]*"util")(?=[\s\S]*"stream")(?=[\s\S]*"fs")(?=[\s\S]*"path")(?=[\s\S]*"url")(?=[\s\S]*"zlib")(?=[\s\S]*"https")/,
  "async generators": /async \*\w+\(/,
  "`$.interface.apphook`": /\$\.interface\.apphook/,
  "`Buffer`, `/tmp`, `process.env`": /(?=[\s\S]*Buffer\.)(?=[\s\S]*"\/tmp")(?=[\s\S]*process\.env)/,
  "run signature `()`": /run\(\)/,
  "run signature `(event)`": /run\(event\)/,
  "run signature `({body})`": /run\(\{ body \}\)/,
  "run signature `({$})`": /run\(\{ \$ \}\)/,
  "raw TCP clients": /pg\.Client|vault\.connect/,
  "actions: `$.export`": /\$\.export\(/,
  "actions: `propDefinition`": /propDefinition/,
  "actions: async `options`": /async options\(/,
  "actions: `additionalProps`": /async additionalProps\(/,
  "actions: fs or `/tmp`": /STASH_DIR \|\| "\/tmp"/,
  "actions: `$.flow.rerun`": /\$\.flow\.rerun\(/,
  "actions: `$.flow.exit`": /\$\.flow\.exit\(/,
  "actions: `$.flow.suspend`": /\$\.flow\.suspend\(/,
  "actions: `$.flow.delay`": /\$\.flow\.delay\(/,
  "actions: `data_store`": /type: "data_store"/,
  "actions: `http_request`": /type: "http_request"/,
  "actions: `sql`": /type: "sql"/,
  "apps without credentials": /Object\.keys\(this\.\$auth\)/,
  "cron with a start and a step": /cron: "0 1\/3 /,
  "CommonJS that is not strict": /from "\.\.\/\.\.\/common\/calendar\.cjs"/,
  "timers and random values of the load": /getRandomValues[\s\S]*setTimeout[\s\S]*export default/,
  "`process.binding`": /process\.binding\("constants"\)/,
  "npm: packages with data files": /from "header-generator"/,
  "npm: archives that end with zero bytes": /from "sylvester@0\.0\.21"/,
  "npm: packages that replace `fetch`": /globalThis\.fetch = /,
  "npm: agents that choose a protocol": /from "agent-base"/,
  "an `http_request` that changes": /this\.request\.url = /,
  "`$.respond` with a stream": /body: fs\.createReadStream/,
  "codes of failed connections": /error\.code/,
  "names of stashed files": /STASH_DIR[\s\S]*metadata\.name/,
  "`dir` that is not configured": /\.\.\.fields \} = this[\s\S]*form\.append/,
  "numbers of `options()`": /channels\.map\(\(\{ id: value/,
};

/** The rows of the table: components by feature. */
const table = new Map(
  [...(files[`${FOLDER}README.md`] ?? "").matchAll(/^\| (.*?) +\| (`.*`) +\|$/gm)].map(
    ([, feature = "", listed = ""]) => [
      feature,
      listed.split(", ").map((name) => name.replaceAll("`", "")),
    ],
  ),
);

test("the table has exactly one row for every feature", () => {
  expect([...table.keys()]).toEqual(Object.keys(FEATURES));
});

test.for(Object.entries(FEATURES))(
  "the components in the row of %s use it",
  ([feature, pattern]) => {
    const components = table.get(feature) ?? [];
    expect(components).not.toEqual([]);
    for (const component of components)
      expect([component, files[`${FOLDER}components/${component}`]]).toEqual([
        component,
        expect.stringMatching(pattern),
      ]);
  },
);
