/** Why a set of packages cannot be supplied. Thrown inside the bundler only; `bundle` makes an issue of it. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** The specifier in the sent files that it all began with. */
  specifier: string | undefined;
  /** The package that cannot be installed, where it is about one. */
  packageName: string | undefined;
  /** Whether the registry is at fault rather than the code. */
  readonly upstream: boolean;

  constructor(
    message: string,
    { upstream = false, cause }: { upstream?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.upstream = upstream;
  }
}

/** The packages cannot be compiled as a whole: there is too much of them, or they look for modules while they run. */
export class Uncompilable extends Refusal {}
