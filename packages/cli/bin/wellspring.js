#!/usr/bin/env node
// Runs the command line: in the tree that it is developed in by its sources and the tree's own Node 22, which reads
// TypeScript as it is; from a package, which has no sources, as it was built.
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
    stdio: "inherit",
  });
  // A terminal signals both: the child decides when it is over.
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
