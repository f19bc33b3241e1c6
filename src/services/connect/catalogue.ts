import { type Catalogue, catalogueOf, type LoadedEntry } from "#domain/connect/catalogue.ts";

/** The path of the catalogue among the static assets. */
const PATH = "/catalogue/apps.json";

/** Read once for each isolate: a new catalogue comes with a new version of the Worker. */
const catalogues = new WeakMap<object, Promise<Catalogue>>();

/** The apps that the platform knows. Empty without the asset. */
export function loadCatalogue(assets: Pick<Fetcher, "fetch">): Promise<Catalogue> {
  const loaded = catalogues.get(assets);
  if (loaded) return loaded;
  const loading = load(assets);
  catalogues.set(assets, loading);
  loading.catch(() => catalogues.delete(assets));
  return loading;
}

async function load(assets: Pick<Fetcher, "fetch">): Promise<Catalogue> {
  const response = await assets.fetch(`https://assets.invalid${PATH}`);
  if (response.status === 404) {
    await response.body?.cancel();
    return new Map();
  }
  if (!response.ok) throw new Error(`The catalogue of apps responds with ${response.status}`);
  const entries: LoadedEntry[] = await response.json();
  return catalogueOf(entries);
}
