/** Does the work and says on standard error how long it took: where the minutes of a run go. */
export async function phase<T>(name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  try {
    return await work()
  } finally {
    process.stderr.write(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s\n`)
  }
}
