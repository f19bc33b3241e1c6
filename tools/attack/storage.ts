import { type Attack, deploy, endpoint, eventsOf, hold, newTenant, send } from "./world.ts";

/** Maximum named channels of an emitter. */
const MAX_CHANNELS = 50;

export const storage: Attack[] = [
  {
    name: "ever new channels do not keep a hundred events each",
    async run(world) {
      const eve = await newTenant(world);
      const source = await deploy(
        eve,
        endpoint("this.$emit({ n: event.body.n }, { name: event.body.name })"),
      );
      const channels = Array.from({ length: MAX_CHANNELS + 10 }, (_, n) => `channel-${n}`);
      for (const name of channels) {
        const { status } = await send(source.url, { method: "POST", body: { name } });
        hold(status === 200, `The endpoint returned ${status}`);
      }
      const errors = await eventsOf(eve, source.id, "&event_name=$errors");
      const stored = await Promise.all(
        channels.map((name) => eventsOf(eve, source.id, `&event_name=${name}`)),
      );
      const count = stored.filter((events) => events.length > 0).length;
      hold(count === MAX_CHANNELS, `${count} channels have events`);
      hold(errors.length === 10, `${errors.length} refused events are on record`);
    },
  },
];
