/** A stream that keeps what is written to it. */
export interface Sink {
  write(text: string): void
  readonly text: () => string
}

export function createSink(): Sink {
  let written = ''
  return {
    write(text) {
      written += text
    },
    text: () => written,
  }
}
