import { mkdtemp, rm } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { announcement } from "../../tools/scripts/local/announcement.ts";
import { isLoopback, listeningAddress } from "../../tools/scripts/local/listening.ts";
import { portBecomesFree } from "../../tools/scripts/local/ports.ts";
import { readSettings } from "../../tools/scripts/local/settings.ts";

async function settingsOf(variables: Record<string, string>) {
  const STATE_DIR = await newState();
  return readSettings({ ...process.env, STATE_DIR, PORT: "8787", SANDBOXES: "1", ...variables });
}

async function newState(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "listening-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test.for([
  ["127.0.0.1", "127.0.0.1"],
  ["localhost", "127.0.0.1"],
  ["0.0.0.0", "0.0.0.0"],
  ["::", "::"],
  ["0:0:0:0:0:0:0:1", "::1"],
])("HOST=%s listens at %s", ([text, address]) => {
  expect(listeningAddress(text)).toBe(address);
});

test.for(["example.com", "1", "127.1", "127.0.0.1:80", "[::1]", "*", " "])(
  "rejects HOST=%s, and names the setting",
  (text) => {
    expect(() => listeningAddress(text)).toThrow(
      `HOST must be an IP address or localhost, not "${text}".`,
    );
  },
);

test("rejects an address of another machine, and names the setting", async () => {
  // Reserved for documentation: no machine has it.
  await expect(portBecomesFree(8787, 0, "192.0.2.1")).rejects.toThrow(
    'HOST must be an address of this machine, not "192.0.2.1".',
  );
});

test.for([
  ["127.0.0.1", true],
  ["127.8.0.1", true],
  ["::1", true],
  ["[::1]", true],
  ["::ffff:127.0.0.1", true],
  ["localhost", true],
  ["a.localhost", true],
  ["0.0.0.0", false],
  ["::", false],
  ["192.0.2.1", false],
  ["localhost.example", false],
] as const)("%s is loopback: %s", ([host, expected]) => {
  expect(isLoopback(host)).toBe(expected);
});

test.for([
  [{}, "true"],
  [{ HOST: "::1" }, "true"],
  [{ HOST: "0.0.0.0" }, "false"],
  [{ HOST: "::" }, "false"],
  [{ HOST: "0.0.0.0", ALLOW_PRIVATE_TARGETS: "true" }, "true"],
  [{ ALLOW_PRIVATE_TARGETS: "false" }, "false"],
  [{ PUBLIC_URL: "https://events.example.com" }, "false"],
  [{ EVENTS_URL: "https://hooks.example.com" }, "false"],
  [{ TRUSTED_PROXIES: "127.0.0.1" }, "false"],
  [{ PUBLIC_URL: "http://localhost:8787", EVENTS_URL: "http://[::1]:8787" }, "true"],
] as [Record<string, string>, string][])(
  "with %j components may reach private addresses: %s",
  async ([given, expected]) => {
    const { variables } = await settingsOf(given);
    expect(variables["ALLOW_PRIVATE_TARGETS"]).toBe(expected);
  },
);

test("a start for this machine alone prints one URL", async () => {
  const { variables, ...rest } = await settingsOf({});
  const built = { RELEASE: "1.2.0", COMMIT: "758e222b0000" };
  const settings = {
    ...rest,
    apiKey: "key",
    stateDir: "/state",
    variables: { ...variables, ...built },
  };
  const link = "http://127.0.0.1:8787/console/sign-in#link=secret";
  expect(announcement(settings, link)).toBe(`Wellspring

  release    1.2.0 (commit 758e222b0000)
  base URL   http://127.0.0.1:8787/v1
  docs       http://127.0.0.1:8787/docs
  console    http://127.0.0.1:8787/console/sign-in#link=secret (signs in once)
  health     http://127.0.0.1:8787/health
  API key    key
  admin      token in /state/secrets.env

  export API_KEY=key
`);
});

test("a start for others prints its address, and the network access of components", async () => {
  const text = announcement(await settingsOf({ HOST: "0.0.0.0" }), undefined);
  expect(text).toContain("  base URL   http://127.0.0.1:8787/v1\n");
  const own = Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ internal, family }) => !internal && family === "IPv4");
  for (const { address } of own) expect(text).toContain(` http://${address}:8787\n`);
  expect(text).toContain("  Components cannot reach private addresses (ALLOW_PRIVATE_TARGETS).\n");
  expect(text).toContain("  Endpoint URLs work on this machine only.");
  expect(text).not.toContain("console");
  const others = await settingsOf({ HOST: "::", ALLOW_PRIVATE_TARGETS: "true" });
  const open = announcement(others, undefined);
  expect(open).toContain("  base URL   http://[::1]:8787/v1\n");
  expect(open).toContain("  Components of all users reach this machine and its network");
});
