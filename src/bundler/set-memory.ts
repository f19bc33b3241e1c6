import { type Refusal, Uncompilable } from "./refusal.ts";

/** Maximum memory of an isolate that bundles: Cloudflare ends it at 128 MB. */
const AVAILABLE_BYTES = 110 * 2 ** 20;

/** Our own code, lockfiles, manifests and queued requests. */
const OWN_BYTES = 26 * 2 ** 20;

/** Measured memory of the compiler by itself, and of it and its messages for a file and for each byte of code in it. */
const COMPILER_BYTES = 12 * 2 ** 20;
const BYTES_PER_FILE = 36 * 2 ** 10;
const BYTES_PER_CODE_BYTE = 20;

/** Maximum files of a set: more would leave too little memory to the compiler. */
const MAX_KEPT_BYTES = 36 * 2 ** 20;

/** Maximum compressed files of a set that is not compiled as a whole, and maximum size of one file. */
const MAX_COMPRESSED_BYTES = 36 * 2 ** 20;
const MAX_FILE_BYTES = 12 * 2 ** 20;

/** The memory budget for files of packages. Both methods throw a `Refusal` if it is exceeded. */
export type FileMemory = {
  /** Whether files are held compressed. */
  compresses: boolean;
  /** Count held files of a package. */
  keep(bytes: number, what: string): void;
  /** Count a file of a package that is compiled. */
  compile(bytes: number, what: string): void;
};

/** The memory of a set that is compiled file by file. */
export function unbundledMemory(): FileMemory {
  let keptBytes = 0;
  return {
    compresses: true,
    keep(bytes, what) {
      keptBytes += bytes;
      if (keptBytes > MAX_COMPRESSED_BYTES)
        throw tooLarge(what, keptBytes, { limit: MAX_COMPRESSED_BYTES, how: "compressed" });
    },
    compile(bytes, what) {
      if (bytes > MAX_FILE_BYTES)
        throw new Uncompilable(
          `The package "${what}" is too large: ${megabytes(bytes)} of code in one file, of ${megabytes(MAX_FILE_BYTES)}`,
        );
    },
  };
}

/** Shares the memory of an isolate between the files of one set of packages and the compiler that reads them. */
export class SetMemory implements FileMemory {
  readonly compresses = false;
  #keptBytes = 0;
  #compilerBytes = COMPILER_BYTES;
  readonly #codeOf = new Map<string, number>();

  /** Whether the held files may have more code than can be compiled. */
  mayBeTooLarge(): boolean {
    return OWN_BYTES + COMPILER_BYTES + BYTES_PER_CODE_BYTE * this.#keptBytes > AVAILABLE_BYTES;
  }

  /** Reset the count of compiled code. */
  startCompiling(): void {
    this.#compilerBytes = COMPILER_BYTES;
    this.#codeOf.clear();
  }

  /** Count held files of a package. Throws a `Refusal` if they are too many. */
  keep(bytes: number, what: string): void {
    this.#keptBytes += bytes;
    if (this.#keptBytes > MAX_KEPT_BYTES)
      throw tooLarge(what, this.#keptBytes, { limit: MAX_KEPT_BYTES, how: "unpacked" });
  }

  /**
   * Count a file of a package that is compiled. Throws a `Refusal` if it is too much code, naming the largest package.
   */
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
    return new Uncompilable(
      `The imported packages are too large to compile: ${megabytes(total)} or more of code, ` +
        `${megabytes(bytes)} or more of it in "${largest}"`,
    );
  }
}

function tooLarge(
  what: string,
  bytes: number,
  { limit, how }: { limit: number; how: "compressed" | "unpacked" },
): Uncompilable {
  return new Uncompilable(
    `The package "${what}" is too large: with it, the imported packages come to ` +
      `${megabytes(bytes)} or more ${how}, of ${megabytes(limit)}`,
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
