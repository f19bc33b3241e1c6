import { createHash } from "node:crypto";

import { expect, onTestFinished, test } from "vitest";

import { openCloudflare } from "../support/cloudflare/account.ts";
import { BASE, TOKEN } from "../support/cloudflare/server.ts";
import { refusalOfSize, refusalOfSplitter, statementsIn } from "../support/cloudflare/sql.ts";

const TRIGGER = "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; SELECT 1; END";

test("statements are split as SQLite splits them", () => {
  const sql = `-- it's; one\nSELECT ';''' AS "a;";${TRIGGER};\n/* ; */ SELECT CASE 1 WHEN 1 THEN 2 END;;`;
  expect(statementsIn(sql)).toEqual([
    `-- it's; one\nSELECT ';''' AS "a;"`,
    TRIGGER,
    "/* ; */ SELECT CASE 1 WHEN 1 THEN 2 END",
  ]);
});

test.for([
  ["an apostrophe in a comment", "-- it's\nSELECT 1; SELECT 2"],
  ["a semicolon in a comment", "-- one; two\nSELECT 1; SELECT 2"],
  ["CRLF", "SELECT 1;\r\nSELECT 2"],
  ["lowercase begin", `SELECT 1; ${TRIGGER.replace("BEGIN", "begin")}`],
  ["a trigger of several lines", `SELECT 1; ${TRIGGER.replace("BEGIN ", "BEGIN\n")}`],
  [
    "CASE in a trigger",
    `SELECT 1; ${TRIGGER.replace("SELECT 1", "SELECT CASE 1 WHEN 1 THEN 2 END")}`,
  ],
])("D1's splitter fails on %s", ([, sql = ""]) => {
  expect(refusalOfSplitter(sql)).toBe("incomplete input: SQLITE_ERROR");
});

test.for([
  `SELECT 1; ${TRIGGER}; SELECT 'it''s; \nfine'`,
  TRIGGER.replace("BEGIN ", "begin\n"),
  "--> statement-breakpoint\nSELECT 1;\nSELECT CASE 1 WHEN 1 THEN 2 END;",
])("D1's splitter takes %j", (sql) => {
  expect(refusalOfSplitter(sql)).toBeUndefined();
});

test("D1 rejects statements over 100,000 bytes", () => {
  const statement = (bytes: number) => `SELECT '${"x".repeat(bytes - "SELECT ''".length)}'`;
  expect(refusalOfSize(`SELECT 1; ${statement(100_000)};`)).toBeUndefined();
  expect(refusalOfSize(`SELECT 1; ${statement(100_001)};`)).toContain("SQLITE_TOOBIG");
});

test("an import takes effect as a whole, or not at all", async () => {
  const cloudflare = await openCloudflare();
  onTestFinished(cloudflare.stop);
  cloudflare.databases.set("wellspring", "known");
  const imported = async (sql: string) => {
    const etag = createHash("md5").update(sql).digest("hex");
    const { upload_url = "", filename } = await post(cloudflare.origin, { action: "init", etag });
    await (await fetch(upload_url, { method: "PUT", body: sql })).text();
    const begun = await post(cloudflare.origin, { action: "ingest", etag, filename });
    expect(begun.status).toBe("active");
    const poll = { action: "poll", current_bookmark: begun.at_bookmark };
    return post(cloudflare.origin, poll);
  };
  const table = "CREATE TABLE a (b text);\nINSERT INTO a VALUES ('it''s; here');";
  expect(await imported(`${table}\nINSERT INTO c VALUES (1);`)).toMatchObject({ status: "error" });
  const whole = `-- it's\n${table}\ncreate trigger t after insert on a\nbegin\ndelete from a; end;`;
  expect(await imported(whole)).toMatchObject({ status: "complete", result: { num_queries: 3 } });
  const [rows] = await cloudflare.worker.query("SELECT * FROM a");
  expect(rows).toMatchObject({ results: [{ b: "it's; here" }] });
});

test("D1 rejects a row over 2 MB, even from small statements", async () => {
  const cloudflare = await openCloudflare();
  onTestFinished(cloudflare.stop);
  const { worker } = cloudflare;
  await worker.query("CREATE TABLE a (b text, c text)");
  await worker.query(`INSERT INTO a VALUES ('${"€".repeat(20_000)}', '${"x".repeat(20_000)}')`);
  // 1.92 MB of one column and 20 KB of the other.
  const doubled = "UPDATE a SET b = b || b;".repeat(5);
  await worker.query(doubled);
  const refused = "string or blob too big: SQLITE_TOOBIG";
  await expect(worker.query("UPDATE a SET c = c || c || c || c || c")).rejects.toThrow(refused);
  await expect(worker.load("UPDATE a SET c = c || 'x'")).rejects.toThrow(refused);
});

type Imported = {
  status?: string;
  upload_url?: string;
  filename?: string;
  at_bookmark?: string;
};

async function post(origin: string, body: object): Promise<Imported> {
  const response = await fetch(`${origin}/client/v4${BASE}/d1/database/known/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify(body),
  });
  const { result } = (await response.json()) as { result: Imported };
  return result;
}
