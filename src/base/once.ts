/** Returns a function that computes its result on the first call and returns the same result afterwards. */
export function once<T>(make: () => T): () => T {
  let cached: {readonly answer: T} | undefined
  return () => {
    cached ??= {answer: make()}
    return cached.answer
  }
}

/** Like `once`, with one cached result per argument. */
export function memoize<Argument, T>(
  make: (argument: Argument) => T,
  cached: Pick<Map<Argument, () => T>, 'get'> & {
    set(argument: Argument, answer: () => T): unknown
  } = new Map(),
): (argument: Argument) => T {
  return (argument) => {
    const answer = cached.get(argument) ?? once(() => make(argument))
    cached.set(argument, answer)
    return answer()
  }
}

/** Like `memoize`, with objects as weak keys: a result lives as long as its object. */
export function oncePerObject<Argument extends object, T>(
  make: (argument: Argument) => T,
): (argument: Argument) => T {
  return memoize(make, new WeakMap<Argument, () => T>())
}

/**
 * Returns a function that shares one result among the calls while it is computed, and for `milliseconds`
 * after that. An error is not kept.
 */
export function sharedFor<T>(milliseconds: number, make: () => Promise<T>): () => Promise<T> {
  let shared: {readonly answer: Promise<T>; until: number} | undefined
  return () => {
    if (shared && performance.now() < shared.until) return shared.answer
    const current = {answer: make(), until: Number.POSITIVE_INFINITY}
    shared = current
    current.answer.then(
      () => {
        current.until = performance.now() + milliseconds
      },
      () => {
        current.until = 0
      },
    )
    return current.answer
  }
}
