import { type Id, isId, type OwnerId } from "#domain/ids.ts";

/** Maximum external users whose project is cached. */
const MAX_USERS = 10_000;

/** Who is responsible for the code of an owner. */
export class Tenants {
  readonly #projects = new Map<OwnerId, Id<"project">>();

  /** Resolves to the owner, or to the project of an external user. `projectOf` reads it; on failure it is the user. */
  async of(
    owner: OwnerId,
    projectOf: (user: Id<"external_user">) => Promise<Id<"project"> | null>,
  ): Promise<string> {
    if (!isId("external_user", owner)) return owner;
    const project = this.#projects.get(owner) ?? (await projectOf(owner).catch(() => null));
    if (project === null) return owner;
    this.#projects.set(owner, project);
    const [oldest] = this.#projects.keys();
    if (this.#projects.size > MAX_USERS && oldest !== undefined) this.#projects.delete(oldest);
    return project;
  }
}
