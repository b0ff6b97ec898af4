import {isMap} from '../../overrides/merge.ts'
import {secretsAmong, type ValuePath} from '../../overrides/secrets/secret-values.ts'
import type {Values} from '../../release.ts'

/** Values of a release without what looks secret, and a sentence that names what was left out. */
export function withoutSecrets(
  name: string,
  values: Values,
): {readonly values: Values; readonly lost: readonly string[]} {
  const places = secretsAmong(values, [])
  if (places.length === 0) return {values, lost: []}
  const named = places.map((path) => path.join('.')).join(', ')
  return {
    values: places.reduce<Values>((left, place) => withoutPlace(left, place), values),
    lost: [`secrets of ${name}, left out: ${named}; --show-secrets writes them`],
  }
}

/** A list that holds a secret is left out as a whole: its items have no names. */
function withoutPlace(values: Values, [key, ...rest]: ValuePath): Values {
  if (key === undefined) return values
  const {[key]: inner, ...others} = values
  if (!isMap(inner) || rest.length === 0) return others
  const left = withoutPlace(inner, rest)
  return Object.keys(left).length === 0 ? others : {...values, [key]: left}
}
