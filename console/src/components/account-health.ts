type Account = {
  healthy: boolean;
  dead: boolean;
  error?: string | null;
  /** Epoch seconds, or a date; absent: its token does not expire, or it has none. */
  expires_at?: number | string | null;
};

export type AccountHealth = {
  /** The name in the colours of states. */
  state: "dead" | "healthy" | "unchecked" | "unhealthy";
  label: string;
  sentence: string;
  /** Whether runs fail until it is connected again. */
  isLost: boolean;
};

/** The health of an account, and its meaning for the runs that need it. */
export function healthOf(account: Account, nowMs = Date.now()): AccountHealth {
  const { dead, healthy, expires_at: expires } = account;
  if (dead) return lost("The provider revoked the grant, or refuses the credentials.");
  const endMs = endOf(expires);
  if (!healthy)
    return endMs !== undefined && endMs <= nowMs
      ? lost("Its token has expired, and could not be refreshed.")
      : {
          state: "unhealthy",
          label: "refresh failed",
          sentence:
            "Its token could not be refreshed. Runs use the current one until it ends, and the platform retries.",
          isLost: false,
        };
  if (endMs === undefined)
    return {
      state: "unchecked",
      label: "not checked",
      sentence:
        "Its credentials are never refreshed: only a run shows whether the provider accepts them.",
      isLost: false,
    };
  return {
    state: "healthy",
    label: "healthy",
    sentence: "Its token was issued or refreshed, and is refreshed again before it ends.",
    isLost: false,
  };
}

function lost(reason: string): AccountHealth {
  const sentence = `${reason} Runs that need the account fail until it is connected again.`;
  return { state: "dead", label: "needs reconnect", sentence, isLost: true };
}

function endOf(expires: number | string | null | undefined): number | undefined {
  if (expires === null || expires === undefined) return undefined;
  return typeof expires === "number" ? expires * 1000 : Date.parse(expires);
}
