/** Returns a name as keys of values and options have it: `nova_api`. */
export function underscored(name: string): string {
  return name.replaceAll('-', '_')
}
