import { startReceiver } from "../scripts/receiver.ts";
import { type Attack, hold, newTenant, operate } from "./world.ts";

/** Texts that end a host, or move it behind other syntax. */
const escapesTo = (host: string) => [
  `${host}/a?`,
  `${host}/`,
  `${host}#`,
  `a@${host}?`,
  `${host}\\`,
  host,
];

export const presetSecrets: Attack[] = [
  {
    name: "an external user cannot choose the host that receives the secret of a project",
    async run(world) {
      const ada = await newTenant(world);
      const receiver = await startReceiver();
      try {
        const app = `app_${crypto.randomUUID().slice(0, 8)}`;
        const made = await operate(world, "PUT", `/apps/${app}`, {
          name: "Shop",
          auth_type: "keys",
          fields: [{ name: "subdomain", secret: false }, { name: "api_key" }],
          test: { url: "/me" },
          request: {
            base_url: "http://{{subdomain}}.shop.example",
            headers: { "x-api-key": "{{api_key}}" },
          },
        });
        hold(made.status === 200, `The API created no app: ${made.text}`);
        const call = async (path: string, body: object) =>
          JSON.parse((await ada.call("POST", path, body)).text);
        const testing = { name: "Shop", connect_require_key_auth_test: true };
        const base = `/connect/${(await call("/connect/projects", testing)).id}`;
        const preset = { app, name: "Preset", cfmap: { api_key: "shared" } };
        const override = await call(`${base}/app_overrides`, preset);
        hold(override.id, `The API created no override: ${JSON.stringify(override)}`);
        for (const subdomain of escapesTo(new URL(receiver.url).host)) {
          const { token } = await call(`${base}/tokens`, { external_user_id: "eve" });
          const account = await ada.call("POST", `${base}/accounts`, {
            app_slug: app,
            connect_token: token,
            app_override_id: override.id,
            cfmap_json: JSON.stringify({ subdomain }),
          });
          hold(account.status === 400, `${subdomain}: ${account.status} ${account.text}`);
          hold(account.text.includes("subdomain"), `The error names no field: ${account.text}`);
        }
        hold(receiver.received.length === 0, "The secret was sent to the typed host");
      } finally {
        receiver.close();
      }
    },
  },
];
