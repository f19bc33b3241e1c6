import { type Attack, hold, newTenant, newWorkspace } from "./world.ts";

export const globs: Attack[] = [
  {
    name: "deleting a glob subscription leaves other owners' alone",
    async run(world) {
      const [ada, eve] = [await newTenant(world), await newTenant(world)];
      const workspace = await newWorkspace(world, ada, eve);
      const { data: hook } = await ada.call("POST", "/webhooks", {
        url: "http://127.0.0.1:9/",
        name: "W",
        org_id: workspace,
      });
      const link = { emitter_id: "dc_*", listener_id: hook.id };
      const ofAda = await ada.call("POST", "/subscriptions", link);
      const shared = await ada.call("POST", "/subscriptions", { ...link, org_id: workspace });
      hold(ofAda.status === 200 && shared.status === 200, `${ofAda.text} ${shared.text}`);
      const query = new URLSearchParams(link).toString();
      await eve.call("DELETE", `/subscriptions?${query}`);
      const own = await ada.call("GET", "/users/me/subscriptions");
      const ofWorkspace = await ada.call("GET", `/workspaces/${workspace}/subscriptions`);
      hold(own.data.length === 1, "The platform deleted another user's subscription");
      hold(ofWorkspace.data.length === 1, "The platform deleted the workspace's subscription");

      await ada.call("DELETE", `/subscriptions?${query}&org_id=${workspace}`);
      const left = await ada.call("GET", `/workspaces/${workspace}/subscriptions`);
      const kept = await ada.call("GET", "/users/me/subscriptions");
      hold(left.data.length === 0, "The named workspace's subscription was not deleted");
      hold(
        kept.data.length === 1,
        "The platform deleted the caller's own subscription with the workspace's",
      );
    },
  },
];
