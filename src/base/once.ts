/** Returns a function that makes its answer when it is first asked, and returns the same answer from then on. */
export function once<T>(make: () => T): () => T {
  let made: {readonly answer: T} | undefined
  return () => {
    made ??= {answer: make()}
    return made.answer
  }
}

/** The same for each argument. */
export function oncePer<Argument, T>(
  make: (argument: Argument) => T,
  made: Pick<Map<Argument, () => T>, 'get'> & {set(argument: Argument, answer: () => T): unknown} = new Map(),
): (argument: Argument) => T {
  return (argument) => {
    const answer = made.get(argument) ?? once(() => make(argument))
    made.set(argument, answer)
    return answer()
  }
}

/** The same for each object, for as long as there is the object. */
export function oncePerObject<Argument extends object, T>(
  make: (argument: Argument) => T,
): (argument: Argument) => T {
  return oncePer(make, new WeakMap<Argument, () => T>())
}
