/** Returns a function that makes its answer when it is first asked, and returns the same answer from then on. */
export function once<T>(make: () => T): () => T {
  let made: {readonly answer: T} | undefined
  return () => {
    made ??= {answer: make()}
    return made.answer
  }
}
