import {suggest} from '../../environment/suggest.ts'
import {KkError} from '../../errors.ts'

/** `KK_UNKNOWN_CHART`, with the name that may have been meant, or else all there are. */
export function unknownChart(message: string, chart: string, names: readonly string[]): KkError {
  const close = suggest(chart, names)
  if (close !== undefined) return new KkError('KK_UNKNOWN_CHART', message, {hint: `did you mean ${close}?`})
  const hint =
    names.length > 0
      ? `there are: ${names.join(', ')}`
      : 'name an environment with -e, or charts: in a facts file with --facts'
  return new KkError('KK_UNKNOWN_CHART', message, {hint})
}

/** `KK_UNKNOWN_NAMESPACE`, with the name that may have been meant, or else the hint. */
export function unknownNamespace(
  message: string,
  {namespace, names, hint}: {namespace: string; names: readonly string[]; hint: string},
): KkError {
  const close = suggest(namespace, names)
  return new KkError('KK_UNKNOWN_NAMESPACE', message, {
    hint: close === undefined ? hint : `did you mean ${close}?`,
  })
}
