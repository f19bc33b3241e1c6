import { type Attack, deploy, endpoint, hold, holdsService, newTenant, send } from "./world.ts";

export const logs: Attack[] = [
  {
    name: "100 MB of logs end only their own isolate, and are truncated to the limits",
    async run(world) {
      const eve = await newTenant(world);
      const { id, url } = await deploy(
        eve,
        endpoint(
          `const text = "x".repeat(1e6); for (let n = 0; n < 100; n += 1) console.log(n, text); this.$emit({ done: true })`,
        ),
      );
      for (let n = 0; n < 3; n += 1) await send(url, { method: "POST", body: {} });
      await holdsService(world);
      const read = await eve.call(
        "GET",
        `/sources/${id}/$logs/event_summaries?expand=event&limit=100`,
      );
      hold(read.status === 200, `Reading its logs got ${read.status}`);
      hold(read.text.length < 16e6, `Its logs are ${read.text.length} bytes`);
    },
  },
  {
    name: "the platform truncates a million short log lines",
    async run(world) {
      const eve = await newTenant(world);
      const { id, url } = await deploy(
        eve,
        endpoint(`for (let n = 0; n < 1e6; n += 1) console.log(n)`),
      );
      await send(url, { method: "POST", body: {} });
      await holdsService(world);
      const read = await eve.call("GET", `/sources/${id}/$logs/event_summaries?limit=100`);
      hold(read.status === 200, `Reading its logs got ${read.status}`);
    },
  },
];
