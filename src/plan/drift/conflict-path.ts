/**
 * Returns a field in kk's notation, `spec.containers[main].image`, for `.spec.containers[name="main"].image`.
 */
export function conflictPath(field: string): string {
  return field.replace(/^\./, '').replace(/\[([A-Za-z]+=[^\]]*)\]/g, (_, keys: string) => {
    const values = keys.split(',').map((key) => key.slice(key.indexOf('=') + 1).replaceAll('"', ''))
    return `[${values.join('/')}]`
  })
}
