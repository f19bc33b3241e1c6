import { once } from "./once.ts";

/** The parts of the test runner that import the Worker under test. */
type Runner = {
  __vitest_mocker__: {
    moduleRunner: { import: (path: string, options?: object) => Promise<object> };
  };
  __vitest_worker__: { providedContext: { cloudflarePoolOptions: string } };
};

// The runner imports the Worker again for each call of it or of one of its objects, by a request to the runner's own object.
once("loaded main module", () => {
  const { __vitest_mocker__, __vitest_worker__ } = globalThis as unknown as Runner;
  const { moduleRunner } = __vitest_mocker__;
  const { main } = JSON.parse(__vitest_worker__.providedContext.cloudflarePoolOptions) as {
    main: string;
  };
  const load = moduleRunner.import.bind(moduleRunner);
  let loaded: object | undefined;
  moduleRunner.import = async (path, options) => {
    if (path !== main) return load(path, options);
    loaded ??= await load(path);
    return loaded;
  };
  return true;
});
