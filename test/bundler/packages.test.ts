// @suites release

import { expect, test } from "vitest";

import { bundled, evaluate } from "./evaluate.ts";

/** The most used packages of components, each with an expression over `it` that is true if the package works. */
const PACKAGES: [specifier: string, proof: string, imported?: string][] = [
  [
    "@pipedream/platform",
    "typeof it.axios === 'function' && it.ConfigurationError.prototype instanceof Error",
    "* as it",
  ],
  ["uuid", "it.v4().length === 36", "* as it"],
  ["lodash", "it.camelCase('a b') === 'aB'", "it"],
  ["lodash/get.js", "it({ a: { b: 1 } }, 'a.b') === 1", "it"],
  ["lodash.clonedeep", "it({ a: 1 }).a === 1", "it"],
  ["async-retry", "(await it(async () => 1)) === 1", "it"],
  ["moment", "it.utc(0).year() === 1970", "it"],
  ["moment-timezone", "it.tz(0, 'Europe/Paris').hour() === 1", "it"],
  ["form-data", "new it().getBoundary().length > 10", "it"],
  ["bottleneck", "typeof new it().schedule === 'function'", "it"],
  ["axios", "typeof it.create().get === 'function'", "it"],
  ["dayjs", "it(0).valueOf() === 0", "it"],
  ["luxon", "it.DateTime.fromISO('2020-01-01').year === 2020", "* as it"],
  ["date-fns", "it.addDays(new Date(0), 1).getTime() === 86400000", "* as it"],
  ["rss-parser", "typeof new it().parseString === 'function'", "it"],
  ["xml2js", "typeof it.parseStringPromise === 'function'", "it"],
  ["xml-js", "it.xml2json('<a/>').includes('elements')", "it"],
  ["fast-xml-parser", "new it.XMLParser().parse('<a>1</a>').a === 1", "* as it"],
  ["feedparser", "typeof it === 'function'", "it"],
  ["cheerio", "it.load('<p>x</p>')('p').text() === 'x'", "* as it"],
  ["html-to-text", "it.convert('<p>x</p>') === 'x'", "* as it"],
  ["crypto-js", "it.MD5('').toString().length === 32", "it"],
  ["jsonwebtoken", "it.verify(it.sign({ a: 1 }, 's'), 's').a === 1", "it"],
  ["qs", "it.stringify({ a: [1] }) === 'a%5B0%5D=1'", "it"],
  ["query-string", "it.parse('a=1').a === '1'", "it"],
  ["node-fetch", "typeof it === 'function'", "it"],
  ["got", "typeof it.get === 'function'", "{ default as it }"],
  ["nanoid", "it.nanoid().length === 21", "* as it"],
  ["md5", "it('').length === 32", "it"],
  ["csv-parse/sync", "it.parse('a,b')[0][1] === 'b'", "* as it"],
  ["json2csv", "typeof it.parse === 'function'", "it"],
  ["@slack/web-api", "typeof new it.WebClient('t').chat.postMessage === 'function'", "* as it"],
  ["@octokit/core", "typeof new it.Octokit().request === 'function'", "* as it"],
  ["stripe", "typeof new it('sk_test_x').customers.list === 'function'", "it"],
  ["@sendgrid/client", "typeof it.request === 'function'", "it"],
  ["@notionhq/client", "typeof new it.Client().pages.create === 'function'", "* as it"],
  ["graphql", "it.parse('{ a }').kind === 'Document'", "* as it"],
  [
    "graphql-request",
    "typeof new it.GraphQLClient('http://a.test').request === 'function'",
    "* as it",
  ],
  ["showdown", "new it.Converter().makeHtml('# x').includes('<h1')", "it"],
  ["mime-types", "it.lookup('a.png') === 'image/png'", "it"],
  ["oauth-1.0a", "typeof it === 'function'", "it"],
  ["airtable", "typeof it === 'function'", "it"],
  ["airtable@0.11.6", "typeof it === 'function'", "it"],
  ["pg-format", "it('%I', 'select') === '\"select\"'", "it"],
  ["mailgun.js", "typeof it === 'function'", "it"],
  ["nodemailer", "typeof it.createTransport === 'function'", "it"],
  ["pg", "typeof it.Client === 'function'", "it"],
  ["mysql2/promise", "typeof it.createConnection === 'function'", "it"],
  ["mongodb", "typeof it.MongoClient === 'function'", "* as it"],
  ["ssh2", "typeof it.Client === 'function'", "it"],
  ["twitter-api-v2", "typeof it.TwitterApi === 'function'", "* as it"],
];

test.for(PACKAGES)(
  "%s bundles and works",
  { timeout: 90_000 },
  async ([specifier, proof, imported = "it"]) => {
    const made = await bundled(
      `import ${imported} from ${JSON.stringify(specifier)};
     export default { async run() { return ${proof}; } };`,
    );
    expect(await evaluate(made)).toEqual({ value: true });
  },
);
