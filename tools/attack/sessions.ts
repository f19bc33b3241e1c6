import {
  type Attack,
  deploy,
  endpoint,
  eventsOf,
  hold,
  holdWithin,
  newTenant,
  operate,
  send,
  type World,
} from "./world.ts";

const HOOK = { url: "http://127.0.0.1:9/", name: "W" };

/** Paths that a session gives access to, of a user or of an operator. */
const PATHS = ["/v1/users/me", "/v1/connect/projects", "/admin/users", "/console/session"];

export const sessions: Attack[] = [
  {
    name: "no forged cookie gives access",
    async run(world) {
      const ada = await signIn(world);
      const { secret } = ada;
      const forged = [
        "",
        "undefined",
        "null",
        "*",
        "' OR 1=1 --",
        secret.slice(1),
        `${secret}0`,
        secret.toLowerCase(),
        `${secret}%00`,
        ada.data.id,
        ada.data.csrf_token,
        await sha256(secret),
        "operator",
        world.platform.adminToken,
        ada.key,
      ];
      const names = ["wellspring_session", "__Host-wellspring_session"];
      for (const path of PATHS)
        for (const value of forged)
          for (const name of names)
            await refused(world, path, { cookie: `${name}=${encodeURIComponent(value)}` });
      for (const path of PATHS) await refused(world, path, { cookie: `session=${secret}` });
      hold((await me(world, ada.cookie)) === 200, "The genuine session gives no access");
    },
  },
  {
    name: "a page of another origin changes and reads nothing with a cookie",
    async run(world) {
      const ada = await signIn(world);
      const token: string = ada.data.csrf_token;
      const evil = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
      const tries: Record<string, string>[] = [
        {},
        { "x-csrf-token": "guess" },
        { "x-csrf-token": ada.data.id },
        { "x-csrf-token": token, ...evil },
        { "x-csrf-token": token, origin: "null" },
        { "x-csrf-token": token, "sec-fetch-site": "same-site" },
        { "content-type": "text/plain", ...evil },
        { "content-type": "application/x-www-form-urlencoded", origin: "null" },
      ];
      for (const headers of tries)
        for (const [method, path] of [
          ["POST", "/v1/webhooks"],
          ["DELETE", `/v1/sessions/${ada.data.id}`],
          ["DELETE", "/console/session"],
          ["POST", "/v1/connect/projects"],
        ] as const) {
          const sent = { "content-type": "application/json", ...headers, cookie: ada.cookie };
          const body = JSON.stringify(HOOK);
          const { status } = await send(world.origin + path, { method, body, headers: sent });
          // Connect reads a body before it authenticates the sender.
          hold([401, 403, 415].includes(status), `${method} ${path}: ${status}`);
        }
      for (const path of PATHS) await refused(world, path, { cookie: ada.cookie, ...evil });
      hold((await me(world, ada.cookie)) === 200, "A page of another origin ended the session");
      const { text } = await send(`${world.origin}/v1/users/me/webhooks`, { headers: ada.headers });
      hold(
        JSON.parse(text).page_info.total_count === 0,
        "A page of another origin created a webhook",
      );
    },
  },
  {
    name: "components neither see nor set the session of a browser",
    async run(world) {
      const [ada, eve] = [await signIn(world), await newTenant(world)];
      const planted = `["wellspring_session=eve; Path=/", "__Host-wellspring_session=eve; Secure; Path=/",
        "=wellspring_session=eve; Path=/", " Wellspring_Session =eve; Path=/"]`;
      const source = await deploy(
        eve,
        endpoint(
          `this.$emit(event.headers); this.http.respond({ status: 200, headers: { "set-cookie": ${planted} }, body: "" })`,
          { isCustom: true },
        ),
      );
      const spellings = [
        ada.cookie,
        `a=1; ${ada.cookie}`,
        `__Host-${ada.cookie}`,
        `=${ada.cookie}`,
      ];
      for (const cookie of spellings) {
        const { headers } = await send(source.url, { headers: { cookie } });
        const set = headers.getSetCookie();
        hold(set.length === 0, `A component sets ${set.join(", ")}`);
      }
      const seen = async () => (await eventsOf(eve, source.id)).length === spellings.length;
      await holdWithin(5000, seen, "Its events are missing");
      const text = JSON.stringify(await eventsOf(eve, source.id));
      hold(!text.includes(ada.secret), "A component receives the secret of a session");
    },
  },
  {
    name: "a sign-in link works once, and revoking a key ends its sessions",
    async run(world) {
      const ada = await signIn(world);
      const { data } = await operate(world, "POST", "/sign_in_links", { user_id: ada.id });
      const link = String(data.url).split("#link=")[1];
      const use = () => send(`${world.origin}/console/session`, { method: "POST", body: { link } });
      const statuses = (await Promise.all(Array.from({ length: 10 }, use))).map(
        ({ status }) => status,
      );
      hold(statuses.filter((status) => status === 200).length === 1, `It got ${statuses.join()}`);
      const { data: keys } = await operate(world, "GET", `/users/${ada.id}/api_keys`);
      for (const { id } of keys) await operate(world, "DELETE", `/api_keys/${id}`);
      for (const path of PATHS) await refused(world, path, { cookie: ada.cookie });
    },
  },
  {
    name: "a sign-in link of one user keeps nothing of an operator's session",
    async run(world) {
      const eve = await newTenant(world);
      const enter = (body: object, cookie = "") =>
        send(`${world.origin}/console/session`, { method: "POST", body, headers: { cookie } });
      const root = cookieOf(await enter({ admin_token: world.platform.adminToken }));
      const { data } = await operate(world, "POST", "/sign_in_links", { user_id: eve.id });
      const opened = await enter({ link: String(data.url).split("#link=")[1] }, root);
      const cookie = cookieOf(opened);
      hold(opened.data.user.id === eve.id, "The link does not sign its user in");
      hold((await me(world, cookie)) === 200, "The session of the link gives no access");
      await refused(world, "/admin/users", { cookie });
      await refused(world, "/admin/users", { cookie: root });
    },
  },
];

/** A tenant with a session in the console. */
async function signIn(world: World) {
  const tenant = await newTenant(world);
  const { data, headers, text } = await send(`${world.origin}/console/session`, {
    method: "POST",
    body: { api_key: tenant.key },
  });
  const cookie = cookieOf({ headers });
  hold(cookie.startsWith("wellspring_session="), `The sign-in failed: ${text}`);
  return { ...tenant, data, cookie, secret: cookie.split("=")[1] ?? "" };
}

/** The name and value of the cookie that a response sets. */
function cookieOf({ headers }: { headers: Headers }): string {
  return (headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
}

async function me({ origin }: World, cookie: string): Promise<number> {
  return (await send(`${origin}/v1/users/me`, { headers: { cookie } })).status;
}

async function refused(
  { origin }: World,
  path: string,
  headers: Record<string, string>,
): Promise<void> {
  const { status } = await send(origin + path, { headers });
  hold(status === 401, `${path} got ${status} to ${JSON.stringify(headers)}`);
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(digest).toString("hex");
}
