import { type ChildProcess, spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { basename } from "node:path";

const KILL_THE_LAST = 'while read -r line; do pids=$line; done; [ -n "$pids" ] && kill -9 $pids';

/**
 * See to it that no workerd outlives this process, not even when it dies by `kill -9`.
 *
 * workerd goes on serving when its parent is gone. So a shell in a session of its own is told the process ids of those
 * that run, whenever they change, and kills the last that it was told once our end of its pipe closes.
 */
export function guardRuntime(): void {
  const guard = spawn("sh", ["-c", KILL_THE_LAST], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Where there is no shell there is no guard; the port then tells of an orphan.
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  guard.unref();

  const running = new Set<number>();
  const tell = (): void => void guard.stdin.write(`${[...running].join(" ")}\n`);
  subscribe("child_process", (message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node documents this as the channel's message.
    const { process: child } = message as { process: ChildProcess };
    child.once("spawn", () => {
      const { pid } = child;
      if (!basename(child.spawnfile).startsWith("workerd") || pid === undefined) return;
      running.add(pid);
      tell();
      child.once("exit", () => {
        running.delete(pid);
        tell();
      });
    });
  });
}
