// Counts orders by customer in a data store, which other sources, actions and the API read and write as well.
// `$.service.db` would be the source's own.
import { defineSource } from "@wellspring/component";

export default defineSource({
  key: "example-data-store",
  name: "Orders by customer",
  version: "0.0.1",
  type: "source",
  description: "Emits each order with the number of orders that its customer has made.",
  props: {
    http: "$.interface.http",
    counts: { type: "data_store", label: "Orders by customer" },
  },
  async run({ body: { customer } }) {
    const orders = ((await this.counts.get(customer)) ?? 0) + 1;
    await this.counts.set(customer, orders);
    this.$emit({ customer, orders }, { summary: `Order ${orders} of ${customer}` });
  },
});
