import childProcess, { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { basename } from "node:path";

const KILL_THE_LAST = 'while read -r line; do pids=$line; done; [ -n "$pids" ] && kill -9 $pids';

/**
 * See to it that no workerd outlives this process, not even when it dies by `kill -9`, and that none ends before it by the
 * Ctrl-C that asks this process to end.
 *
 * workerd goes on serving when its parent is gone. So a shell in a session of its own receives the process ids of those
 * that run, whenever they change, and kills the last ones that it received once our end of its pipe closes.
 */
export function guardRuntime(): void {
  keepFromTerminal();
  const guard = spawn("sh", ["-c", KILL_THE_LAST], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Where there is no shell there is no guard; an orphan then shows by its port.
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  guard.unref();

  const running = new Set<number>();
  const send = (): void => void guard.stdin.write(`${[...running].join(" ")}\n`);
  subscribe("child_process", (message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node documents this as the channel's message.
    const { process: child } = message as { process: ChildProcess };
    child.once("spawn", () => {
      const { pid } = child;
      if (!isRuntime(child.spawnfile) || pid === undefined) return;
      running.add(pid);
      send();
      child.once("exit", () => {
        running.delete(pid);
        send();
      });
    });
  });
}

/** A terminal signals the whole group of what it started. Miniflare has no option to start a runtime in one of its own. */
function keepFromTerminal(): void {
  const { spawn: spawnInGroup } = childProcess;
  const spawnApart = (command: string, args: readonly string[], options: SpawnOptions) =>
    spawnInGroup(command, args, {
      ...options,
      ...(isRuntime(command) && { detached: true }),
    });
  Object.assign(childProcess, { spawn: spawnApart });
}

/** Whether a command runs workerd. */
export function isRuntime(command: string): boolean {
  return basename(command).startsWith("workerd");
}
