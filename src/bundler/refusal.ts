/**
 * The reason why a set of packages cannot be built. Thrown inside the bundler only; `bundle` converts it to an issue.
 */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** The specifier in the sent files that led to it. */
  specifier: string | undefined;
  /** The package that cannot be installed, if it is about one. */
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

/** The packages cannot be compiled as a whole: they are too large, or they look for modules at run time. */
export class Uncompilable extends Refusal {}
