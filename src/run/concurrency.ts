const MOST = 8
/** Of one helm at work: an estimate, most of it is the cluster's OpenAPI description. */
const BYTES_PER_HELM = 300 * 2 ** 20

/** How many helms run at once unless the user says so: 8, less if memory is short. `availableBytes` as of `process.availableMemory()`. */
export function defaultConcurrency(availableBytes: number): number {
  return Math.max(1, Math.min(MOST, Math.floor(availableBytes / BYTES_PER_HELM)))
}
