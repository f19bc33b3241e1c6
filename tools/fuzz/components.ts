const http = `props: { http: "$.interface.http", db: "$.service.db" }`;

/** Code that a caller may send: all kinds that deploy, and all kinds that do not. None of it runs for long. */
export const COMPONENTS = [
  `export default { name: "Echo", version: "1", key: "fuzz-echo", ${http}, dedupe: "unique",
    run({ body }) { this.$emit(body, { id: 1, summary: "S", ts: 1 }); console.log("seen"); } };`,
  `export default { name: "Timer", version: "0.1.0", key: "fuzz-timer", description: "Ticks",
    props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 3600 } },
      limit: { type: "integer", min: 1, max: 9, optional: true, label: "Limit" } },
    hooks: { async deploy() { this.$emit({ n: 1 }, { name: "orders" }); } }, run() { this.$emit(1); } };`,
  `export default { name: "Failing", version: "1", props: { fail: { type: "string", default: "deploy" } },
    hooks: { deploy() { throw new Error("no"); }, activate() { if (this.fail === "activate") throw 1; } },
    run() { throw new TypeError("no run"); } };`,
  `module.exports = { name: "Action", version: "1.0.0", type: "action", key: "fuzz-action",
    props: { a: "string", b: { type: "boolean", secret: true }, list: { type: "string", optional: true,
      options: async ({ page, prevContext }) => ({ options: [page], context: prevContext }) } },
    additionalProps() { return { more: { type: "string", options: ["x"], optional: true } }; }, run({ $ }) { return $; } };`,
  `export default { name: "Custom", version: "1", props: { http: { type: "$.interface.http", customResponse: true } },
    run() { this.http.respond({ status: 201, body: { a: 1 } }); throw new Error("after"); } };`,
  `export default { version: "1", run() {} }`,
  `export default {`,
  `throw new Error("at load")`,
  `export default { name: "\\u0000", version: "1", key: "__proto__", run() {} }`,
];
