/** Platforms that tests start choose V8's flags themselves: those of the runtimes under test are for these alone. */
delete process.env["MINIFLARE_WORKERD_V8_FLAGS"];
