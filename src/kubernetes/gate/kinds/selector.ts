import type {LabelSelector, Observed} from './observed.ts'

/**
 * Whether the object's labels match; a missing or empty selector matches nothing here (apimachinery:
 * LabelSelectorAsSelector).
 */
export function matchesSelector(selector: LabelSelector | undefined, {metadata}: Observed): boolean {
  const {matchLabels = {}, matchExpressions = []} = selector ?? {}
  const wanted = Object.entries(matchLabels)
  if (wanted.length === 0 && matchExpressions.length === 0) return false
  const labels = metadata.labels ?? {}
  return (
    wanted.every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({key, operator, values = []}) => {
      const value = labels[key]
      if (operator === 'Exists') return value !== undefined
      if (operator === 'DoesNotExist') return value === undefined
      if (operator === 'In') return value !== undefined && values.includes(value)
      return value === undefined || !values.includes(value)
    })
  )
}
