/** How a run is done, and shown: flags of every verb that runs helm. */
export interface RunFlags {
  readonly output: 'text' | 'json' | 'yaml' | 'ndjson'
  readonly concurrency?: number | undefined
  readonly 'fail-fast': boolean
  readonly 'no-wait': boolean
  readonly message?: string | undefined
  readonly helm?: string | undefined
  readonly sandbox?: boolean | undefined
  readonly 'sandbox-name'?: string | undefined
  /** `KIND=FILE` each. */
  readonly report?: readonly string[] | undefined
}

/** The same of verbs that change releases, and ask first. */
export interface ChangingRunFlags extends RunFlags {
  readonly yes: boolean
  readonly 'dry-run': boolean
  readonly environment?: string | undefined
}
