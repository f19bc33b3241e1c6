import { expect, test } from "vitest";

import { deploy, eventsOf, send, sendJson } from "../support/deploy.ts";
import { receiveInGroups } from "../support/groups.ts";
import { linesOf } from "../support/logs.ts";
import { newReceiver } from "../support/webhook.ts";

const of = (lines: { level: string; message: string }[]) =>
  lines.map(({ level, message }) => [level, message.replace(/run \S+ had/, "run had")]);

const lost = (which: string) => [
  "warn",
  `The event ${which} is lost: it was emitted after the run had ended`,
];

test("an event after the end of its run is lost, and the log names it", async () => {
  const source = await deploy(`export default {
    props: { http: "$.interface.http" },
    run() {
      const late = async () => { await new Response(" ").text(); this.$emit({}, { name: "late" }); };
      late();
      this.$emit("in time");
    },
  }`);
  await send(source.url);
  expect((await eventsOf(source.stub)).map(({ event }) => event)).toEqual(["in time"]);
  expect(of(await linesOf(source))).toEqual([lost('"late"')]);
});

test("an event after its run, during others of its group, is lost, and the next log names it", async () => {
  const [gate, receiver] = await Promise.all([
    newReceiver({ status: 200, isHeld: true }),
    newReceiver({ status: 200 }),
  ]);
  const source =
    await deploy(`const ended = Promise.withResolvers(), emitted = Promise.withResolvers();
  export default {
    async run({ as }) {
      if (as === "first") await fetch("${gate.url}", { method: "POST" });
      else if (as === "last") { await fetch("${receiver.url}", { method: "POST" }); ended.resolve(); await emitted.promise; }
      else {
        const late = async () => { await ended.promise; this.$emit({}, { name: "a" }); this.$emit({}, { id: 2 }); this.$emit({}); emitted.resolve(); };
        late();
      }
    },
  }`);
  await receiveInGroups(source.stub, gate.received, [["first"], ["late", "last"]]);
  await gate.release();
  await expect
    .poll(async () => of(await linesOf(source)))
    .toEqual(['"a"', 'with the id "2"', "without a name"].map(lost));
  expect(await eventsOf(source.stub)).toEqual([]);
});

test("ids and channels that are objects are rejected inside the component", async () => {
  const source = await deploy(`export default {
    props: { http: "$.interface.http" }, dedupe: "unique",
    run() {
      const refused = (meta) => { try { this.$emit({}, meta); } catch (error) { return error.message; } };
      this.$emit([
        refused({ id: { a: 1 } }), refused({ id: ["a"] }), refused({ id: () => 1 }),
        refused({ id: 1, name: { b: 1 } }), refused({ id: 7n }), refused({ id: true }),
      ], { id: "listed" });
    },
  }`);
  await sendJson(source.url, {});
  const [listed] = await eventsOf(source.stub);
  expect(listed?.event).toEqual([
    "$emit: id must be text or a number, not { a: 1 }",
    "$emit: id must be text or a number, not [ 'a' ]",
    "$emit: id must be text or a number, not [Function: id]",
    "$emit: name must be text or a number, not { b: 1 }",
    null,
    null,
  ]);
});
