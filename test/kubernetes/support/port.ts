/** Returns a port of a cluster of which only these methods are there: what is tested calls no other. */
export function port<T extends object>(methods: Partial<NoInfer<T>>): T {
  return methods as T
}
