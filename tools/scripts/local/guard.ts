import { type ChildProcess, spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { basename } from "node:path";

const KILL_LAST_PID = 'while read -r pid; do last=$pid; done; [ -n "$last" ] && kill -9 "$last"';

/**
 * See to it that no workerd outlives this process, not even when it dies by `kill -9`.
 *
 * workerd goes on serving when its parent is gone. So a shell in a session of its own is told the process id of each
 * workerd that is started, and kills the last one once our end of its pipe closes.
 */
export function guardRuntime(): void {
  const guard = spawn("sh", ["-c", KILL_LAST_PID], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Where there is no shell there is no guard; the port then tells of an orphan.
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  guard.unref();

  subscribe("child_process", (message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node documents this as the channel's message.
    const { process: child } = message as { process: ChildProcess };
    child.once("spawn", () => {
      if (basename(child.spawnfile).startsWith("workerd")) guard.stdin.write(`${child.pid}\n`);
    });
  });
}
