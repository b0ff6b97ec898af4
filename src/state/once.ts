/** Returns a function that makes its answer when it is first asked, and returns the same answer from then on. */
export function once<T>(make: () => T): () => T {
  let made: {readonly answer: T} | undefined
  return () => {
    made ??= {answer: make()}
    return made.answer
  }
}

/** The same for each argument. */
export function oncePer<Argument, T>(make: (argument: Argument) => T): (argument: Argument) => T {
  const made = new Map<Argument, () => T>()
  return (argument) => {
    const answer = made.get(argument) ?? once(() => make(argument))
    made.set(argument, answer)
    return answer()
  }
}
