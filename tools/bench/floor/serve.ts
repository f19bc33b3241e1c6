import { serveWorker } from "../serve.ts";

await serveWorker(import.meta.dirname, {
  name: "floor",
  durableObjects: {
    FLOOR: { className: "FloorObject", useSQLite: true },
    DELIVERIES: { className: "DeliveryObject", useSQLite: true },
  },
});
