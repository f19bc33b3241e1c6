const APP = `const shop = {
  type: "app", app: "shop",
  propDefinitions: {
    shelf: { type: "string", label: "Shelf", options: async () => [{ label: "Top", value: "top" }, { label: "Bottom", value: "bottom" }] },
  },
  methods: { key() { return this.$auth.api_key; } },
};`;

/** An action that sends a request with an account's key, exports, logs and writes a file. */
export const ACTION = `import { writeFileSync } from "node:fs";
${APP}
export default {
  key: "shop-order", name: "Order", version: "0.0.1", type: "action", description: "Orders something",
  props: {
    shop,
    shelf: { propDefinition: [shop, "shelf"] },
    url: { type: "string", label: "URL", reloadProps: true, optional: true },
  },
  async additionalProps() { return this.url ? { count: { type: "integer", label: "Count", optional: true } } : {}; },
  async run({ $ }) {
    console.log("ordering from", this.shelf);
    $.export("$summary", "Ordered");
    $.export("shelf", this.shelf);
    writeFileSync("/tmp/order.txt", "one " + this.shelf);
    if (!this.url) return { key: this.shop.key() };
    const response = await fetch(this.url, { method: "POST", headers: { "x-api-key": this.shop.key() }, body: String(this.count ?? 1) });
    return response.json();
  },
};`;

/** A source that emits each posted body, and an event on deploy. */
export const TRIGGER = `${APP}
export default {
  key: "shop-new-order", name: "New Order", version: "0.0.1", type: "source", description: "Emits every order",
  props: { shop, http: "$.interface.http", db: "$.service.db", shelf: { propDefinition: [shop, "shelf"], optional: true } },
  hooks: { async deploy() { this.$emit({ deployed: true }, { id: "first", summary: "Deployed" }); } },
  run({ body }) { this.$emit(body, { summary: "Order" }); },
};`;

/** The operator's settings for the app of both. */
export const SHOP = {
  name: "Shop",
  auth_type: "keys",
  description: "A shop",
  categories: ["Commerce"],
  fields: [{ name: "api_key", label: "API key", secret: true }],
};

/** A step of a workflow that returns its caller. */
export const ANSWERING = `export default {
  name: "Answering", version: "0.0.1", type: "action",
  async run({ steps, $ }) {
    const { method, headers, body } = steps.trigger.event;
    const answer = { method, user: headers["x-pd-external-user-id"] ?? null, body };
    await $.respond({ status: 200, headers: { "x-answer": JSON.stringify(answer) }, body: "" });
  },
};`;
