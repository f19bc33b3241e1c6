import { spawn } from "node:child_process";

const OPENERS: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Open a page in the user's browser, if this machine has one; the URL is printed in any case. */
export function openInBrowser(url: string): void {
  if (!process.stdout.isTTY) return;
  const [command, ...flags] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...flags, url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
