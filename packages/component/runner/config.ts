import { COMPATIBILITY_DATE, COMPATIBILITY_FLAGS } from "../../../src/sandbox/compatibility.ts";

/** The modules of a Worker: names, and paths below the folder of the package or of this run. */
type Module = { name: string; file: string };

/** The configuration of a runtime. */
export type RuntimeFiles = { driver: Module[]; component: Module[]; testAddress: string };

/**
 * The configuration of a runtime with two Workers: the component in its harness, and the driver, which calls it and is
 * its only network. The driver's requests go to the process of the test.
 */
export function configOf({ driver, component, testAddress }: RuntimeFiles): string {
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "driver", worker = .driver),
    (name = "component", worker = .component),
    (name = "test", external = (address = ${text(testAddress)}, http = ())),
  ],
  sockets = [(name = "driver", address = "127.0.0.1:0", http = (), service = "driver")],
);

const driver :Workerd.Worker = (
  modules = [${modulesOf(driver)}],
  compatibilityDate = ${text(COMPATIBILITY_DATE)},
  bindings = [(name = "COMPONENT", service = "component"), (name = "TEST", service = "test")],
  globalOutbound = "test",
);

const component :Workerd.Worker = (
  modules = [${modulesOf(component)}],
  compatibilityDate = ${text(COMPATIBILITY_DATE)},
  compatibilityFlags = [${COMPATIBILITY_FLAGS.map((flag) => text(flag)).join(", ")}],
  globalOutbound = (name = "driver", entrypoint = "Network"),
);
`;
}

function modulesOf(modules: readonly Module[]): string {
  return modules
    .map(({ name, file }) => `(name = ${text(name)}, esModule = embed ${text(file)})`)
    .join(",\n    ");
}

function text(value: string): string {
  return JSON.stringify(value);
}
