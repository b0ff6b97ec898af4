import {KkError} from '../base/errors.ts'
import {mergeValues} from '../base/merge.ts'
import {isEmpty, isMap, type Values} from '../base/values.ts'
import {holdsMask} from '../redact/values.ts'
import {readOnlyYaml} from '../yaml/yaml.ts'
import {withoutValue} from './release-flags.ts'
import type {OverrideUpdate} from './service.ts'
import {expectStorable, expectStorableSize} from './storable.ts'
import {applySets} from './strvals.ts'

/**
 * Returns the user overrides after an update: the stored ones or none, then the files in their order (maps
 * merge, everything else replaces), then `set`, then `setString`, in helm's order. System overrides have no
 * influence: only the deployer's values are stored. Throws `KK_YAML`, `KK_VALUES` without the expression, and
 * `KK_USAGE` if files or expressions are passed that contain no value.
 */
export function applyUpdate(stored: Values, {flag, values}: OverrideUpdate): Values {
  const files: Values[] = []
  for (const {source, text} of values.files) {
    files.push(fileValues(source, text))
    // A hundred files of the maximum size would take a minute to read.
    expectStorableSize(files, `the files up to ${source}`)
  }
  const update = withSets(mergeValues(...files), values)
  if (isAnythingGiven(values) && isEmpty(update)) throw noValues()
  const all = flag === 'reset' ? update : withSets(mergeValues(stored, ...files), values)
  expectStorable(all, 'the overrides')
  if (holdsMask(update)) throw masked()
  return all
}

function withSets(below: Values, {set, setString}: OverrideUpdate['values']): Values {
  const expressions = [
    ...set.map((text) => ({text, mode: 'typed' as const, source: `--set ${withoutValue(text)}`})),
    ...setString.map((text) => ({
      text,
      mode: 'string' as const,
      source: `--set-string ${withoutValue(text)}`,
    })),
  ]
  return expressions.length === 0 ? below : applySets(expressions, below)
}

function isAnythingGiven({files, set, setString}: OverrideUpdate['values']): boolean {
  return files.length + set.length + setString.length > 0
}

function masked(): KkError {
  return new KkError('KK_VALUES', 'expected overrides, got *** for a secret, as displays show it', {
    hint: 'pass only the values to change, with --reuse-values; or start from --show-secrets; nothing was changed',
  })
}

/**
 * Returns the error for an update without values: an empty file or a missing key would remove all overrides.
 */
function noValues(): KkError {
  return new KkError('KK_USAGE', 'expected overrides, but the input contains no value; nothing was changed', {
    hint: 'to remove all overrides of the chart: kk overrides delete CHART NAMESPACE',
  })
}

/**
 * Reads the overrides in a YAML string; none for an empty one. Throws `KK_YAML`, which names `source`, and
 * `KK_VALUES`.
 */
function fileValues(source: string, text: string): Values {
  const values = readOnlyYaml(text, {file: source, duplicates: 'error', integers: 'error'}) ?? {}
  if (!isMap(values)) {
    throw new KkError('KK_YAML', `${source}: expected a map of values`, {
      hint: 'write keys and values, e.g. "pod: {replicas: {server: 3}}"',
    })
  }
  expectStorable(values, source)
  return values
}
