import { Refusal } from "./refusal.ts";

/** What an isolate that bundles may hold: Cloudflare ends it at 128 MB. */
const AVAILABLE_BYTES = 110 * 2 ** 20;

/** Our own code, lockfiles, manifests and what waits in the queue. */
const OWN_BYTES = 26 * 2 ** 20;

/** The compiler by itself, and what it and its messages take for a file and for each byte of code in it, as measured. */
const COMPILER_BYTES = 12 * 2 ** 20;
const BYTES_PER_FILE = 36 * 2 ** 10;
const BYTES_PER_CODE_BYTE = 20;

/** What a set may hold of files: more would leave too little to the compiler. */
const MAX_KEPT_BYTES = 36 * 2 ** 20;

/** Shares the memory of an isolate between the files of one set of packages and the compiler that reads them. */
export class SetMemory {
  #keptBytes = 0;
  #compilerBytes = COMPILER_BYTES;
  readonly #codeOf = new Map<string, number>();

  /** Hold files of a package. Throws a `Refusal` where they are too many. */
  keep(bytes: number, what: string): void {
    this.#keptBytes += bytes;
    if (this.#keptBytes <= MAX_KEPT_BYTES) return;
    throw new Refusal(
      `The package "${what}" is too large: with it, the imported packages come to ` +
        `${megabytes(this.#keptBytes)} or more unpacked, of ${megabytes(MAX_KEPT_BYTES)}`,
    );
  }

  /** Have a file of a package compiled. Throws a `Refusal` where it is too much code, naming the largest package. */
  compile(bytes: number, what: string): void {
    this.#codeOf.set(what, (this.#codeOf.get(what) ?? 0) + bytes);
    this.#compilerBytes += BYTES_PER_FILE + BYTES_PER_CODE_BYTE * bytes;
    const takenBytes = OWN_BYTES + this.#keptBytes + this.#compilerBytes;
    if (takenBytes > AVAILABLE_BYTES) throw this.#tooMuchCode();
  }

  #tooMuchCode(): Refusal {
    const sizes = [...this.#codeOf].toSorted(([, a], [, b]) => b - a);
    const [largest, bytes] = sizes[0] ?? ["", 0];
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    return new Refusal(
      `The imported packages are too large to compile: ${megabytes(total)} or more of code, ` +
        `${megabytes(bytes)} or more of it in "${largest}"`,
    );
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
