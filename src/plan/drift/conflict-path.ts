/**
 * A field as the API server names it in a conflict, `.spec.containers[name="main"].image`, in the way in which kk names
 * fields: `spec.containers[main].image`.
 */
export function conflictPath(field: string): string {
  return field.replace(/^\./, '').replace(/\[([A-Za-z]+=[^\]]*)\]/g, (_, keys: string) => {
    const values = keys.split(',').map((key) => key.slice(key.indexOf('=') + 1).replaceAll('"', ''))
    return `[${values.join('/')}]`
  })
}
