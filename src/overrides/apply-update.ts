import {KkError} from '../base/errors.ts'
import {isEmpty, isMap, type Values} from '../base/values.ts'
import {holdsMask} from '../redact/values.ts'
import {readOnlyYaml} from '../yaml/yaml.ts'
import {mergeValues} from './merge.ts'
import {withoutValue} from './release-flags.ts'
import type {OverrideUpdate} from './service.ts'
import {expectRoom, expectStorable} from './storable.ts'
import {applySets} from './strvals.ts'

/**
 * Returns the user overrides after an update: from the stored ones or from nothing, then the files in their order (maps merge,
 * everything else replaces), then `set`, then `setString`, as helm orders them. What system overrides have is not
 * looked at: only what the deployer gave is kept. Throws `KK_YAML`, `KK_VALUES` without the expression, and `KK_USAGE`
 * where files or expressions are given, but no value.
 */
export function applyUpdate(stored: Values, {flag, values}: OverrideUpdate): Values {
  const files: Values[] = []
  for (const {source, text} of values.files) {
    files.push(fileValues(source, text))
    // A hundred of them, each as large as it may be, would be read for a minute.
    expectRoom(files, `the files up to ${source}`)
  }
  const given = withSets(mergeValues(...files), values)
  if (isAnythingGiven(values) && isEmpty(given)) throw noValues()
  const all = flag === 'reset' ? given : withSets(mergeValues(stored, ...files), values)
  expectStorable(all, 'the overrides')
  if (holdsMask(given)) throw masked()
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
    hint: 'give only what is to be changed, with --reuse-values; or start from --show-secrets; nothing was changed',
  })
}

/** Returns the error for an update without values: an empty file or a key that was forgotten would take all overrides away. */
function noValues(): KkError {
  return new KkError(
    'KK_USAGE',
    'expected overrides, but what was given holds no value; nothing was changed',
    {hint: 'to take all overrides of the chart away: kk overrides delete CHART NAMESPACE'},
  )
}

/** Reads the overrides in a YAML text; none for an empty one. Throws `KK_YAML`, which names `source`, and `KK_VALUES`. */
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
