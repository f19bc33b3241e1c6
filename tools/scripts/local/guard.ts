import childProcess, { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { basename } from "node:path";

const KILL_THE_LAST = 'while read -r line; do pids=$line; done; [ -n "$pids" ] && kill -9 $pids';

/** Only Miniflare starts a runtime with a binary configuration: that of the platform. */
const PLATFORM_FLAG = "--binary";

let platformPid: number | undefined;

/** The process id of the platform's runtime, once it runs under the guard. */
export function runtimePid(): number | undefined {
  return platformPid;
}

/**
 * Ensure that no workerd outlives this process, even after `kill -9`, and that Ctrl-C on this process ends none first.
 *
 * workerd keeps serving when its parent has exited. So a shell in a separate session receives the process ids of the
 * running ones on every change, and kills the last received ones once our end of its pipe closes.
 */
export function guardRuntime(): void {
  keepFromTerminal();
  const guard = spawn("sh", ["-c", KILL_THE_LAST], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a shell there is no guard; an orphan then shows by its port.
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
      if (child.spawnargs.includes(PLATFORM_FLAG)) platformPid = pid;
      send();
      child.once("exit", () => {
        running.delete(pid);
        send();
      });
    });
  });
}

/** A terminal signals the whole process group. Miniflare has no option to start a runtime in a separate one. */
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
