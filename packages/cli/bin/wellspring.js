#!/usr/bin/env node
// Runs the command line: in the repository from its sources with the repository's own Node 22, which reads TypeScript;
// in a package, which has no sources, from its build.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const source = new URL("../src/main.ts", import.meta.url);

if (existsSync(source)) handOver();
else await import(new URL("../dist/main.js", import.meta.url).href);

function handOver() {
  const node = new URL("../../../node_modules/node/bin/node", import.meta.url);
  if (!existsSync(node)) {
    console.error("error: The dependencies are not installed. Run npm ci first.");
    process.exitCode = 1;
    return;
  }
  const main = fileURLToPath(source);
  const flags = ["--disable-warning=ExperimentalWarning"];
  const child = spawn(fileURLToPath(node), [...flags, main, ...process.argv.slice(2)], {
    // By the channel, the child notices if this process is killed.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  // A terminal signals both processes: the child decides when to end.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
  });
}
