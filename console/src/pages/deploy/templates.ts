/** A template of a component. */
type CodeTemplate = { id: string; title: string; code: string };

export const CODE_TEMPLATES: CodeTemplate[] = [
  {
    id: "http",
    title: "HTTP requests",
    code: `export default {
  name: "Requests",
  version: "0.0.1",
  type: "source",
  props: {
    http: { type: "$.interface.http", customResponse: true },
    greeting: { type: "string", label: "Text of the response", default: "Welcome" },
  },
  run({ method, path, body }) {
    this.$emit({ method, path, body }, { summary: \`\${method} \${path}\` });
    this.http.respond({ status: 200, body: { text: this.greeting } });
  },
};
`,
  },
  {
    id: "timer",
    title: "Timer",
    code: `export default {
  name: "Ticks",
  version: "0.0.1",
  type: "source",
  props: {
    timer: { type: "$.interface.timer", default: { intervalSeconds: 60 } },
    db: "$.service.db",
  },
  run({ timestamp }) {
    const count = (this.db.get("count") ?? 0) + 1;
    this.db.set("count", count);
    this.$emit({ count, timestamp }, { summary: \`Tick \${count}\` });
  },
};
`,
  },
  {
    id: "polling",
    title: "Polls an API",
    code: `export default {
  name: "New items",
  version: "0.0.1",
  type: "source",
  // Items that were emitted before are dropped by id.
  dedupe: "unique",
  props: {
    timer: { type: "$.interface.timer", default: { intervalSeconds: 300 } },
    url: { type: "string", label: "URL", description: "Returns a list of items with an \`id\`" },
  },
  async run() {
    const response = await fetch(this.url);
    for (const item of await response.json())
      this.$emit(item, { id: String(item.id), summary: item.title ?? \`Item \${item.id}\` });
  },
};
`,
  },
];
