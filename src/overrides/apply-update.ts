import {KkError} from '../errors.ts'
import {readOnlyYaml} from '../helm/yaml.ts'
import type {Values} from '../release.ts'
import {isMap, mergeValues} from './merge.ts'
import {withoutValue} from './release-flags.ts'
import type {OverrideUpdate} from './service.ts'
import {expectStorable} from './storable.ts'
import {applySet} from './strvals.ts'

/**
 * The user overrides after an update: from the stored ones or from nothing, then the files in their order (maps merge,
 * everything else replaces), then `set`, then `setString`, as helm orders them. What system overrides have is not
 * looked at: only what the deployer gave is kept. Throws `KK_YAML`, and `KK_VALUES` without the expression.
 */
export function applyUpdate(stored: Values, {flag, values}: OverrideUpdate): Values {
  const files = values.files.map(({source, text}) => fileValues(source, text))
  const merged = [flag === 'reuse' ? stored : {}, ...files].reduce(mergeValues, {})
  const typed = values.set.reduce<Values>(
    (below, expression) =>
      applySet(expression, below, {mode: 'typed', source: `--set ${withoutValue(expression)}`}),
    merged,
  )
  const all = values.setString.reduce<Values>(
    (below, expression) =>
      applySet(expression, below, {mode: 'string', source: `--set-string ${withoutValue(expression)}`}),
    typed,
  )
  expectStorable(all, 'the overrides')
  return all
}

/** The overrides in a YAML text; none for an empty one. Throws `KK_YAML`, which names `source`, and `KK_VALUES`. */
export function fileValues(source: string, text: string): Values {
  const values = readOnlyYaml(text, {file: source, duplicates: 'error'}) ?? {}
  if (!isMap(values)) {
    throw new KkError('KK_YAML', `${source}: expected a map of values`, {
      hint: 'write keys and values, e.g. "pod: {replicas: {server: 3}}"',
    })
  }
  expectStorable(values, source)
  return values
}
