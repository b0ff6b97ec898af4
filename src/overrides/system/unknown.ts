import {suggest} from '../../environment/suggest.ts'
import {KkError} from '../../errors.ts'

/** Returns `KK_UNKNOWN_CHART` with a suggestion, or else all names. */
export function unknownChart(message: string, chart: string, names: readonly string[]): KkError {
  const close = suggest(chart, names)
  if (close !== undefined) return new KkError('KK_UNKNOWN_CHART', message, {hint: `did you mean ${close}?`})
  const hint =
    names.length > 0
      ? `there are: ${names.join(', ')}`
      : 'name an environment with -e, or charts: in a facts file with --facts'
  return new KkError('KK_UNKNOWN_CHART', message, {hint})
}

/** Returns `KK_UNKNOWN_NAMESPACE` with a suggestion, or else the hint. */
export function unknownNamespace(
  message: string,
  {namespace, names, hint}: {namespace: string; names: readonly string[]; hint: string},
): KkError {
  const close = suggest(namespace, names)
  return new KkError('KK_UNKNOWN_NAMESPACE', message, {
    hint: close === undefined ? hint : `did you mean ${close}?`,
  })
}
