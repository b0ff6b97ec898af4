/** Writes one at a time; what is asked for meanwhile is one more write. */
export function newWriter(write: () => Promise<void>) {
  let writing: Promise<void> | undefined
  let again = false
  let trouble: unknown

  const loop = async (): Promise<void> => {
    do {
      again = false
      await write().then(
        () => undefined,
        (error: unknown) => {
          trouble ??= error
        },
      )
    } while (again)
    writing = undefined
  }
  const request = (): void => {
    again = true
    writing ??= loop()
  }
  return {
    request,
    failed(error: unknown): void {
      trouble ??= error
    },
    async last(): Promise<void> {
      request()
      await writing
    },
    /** What went wrong since this was asked last, once. */
    takeTrouble(): unknown {
      const taken = trouble
      trouble = undefined
      return taken
    },
  }
}
