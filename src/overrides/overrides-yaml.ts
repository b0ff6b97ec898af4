import {isDeepStrictEqual} from 'node:util'
import {dump} from 'js-yaml'
import {isEmpty, type Values} from '../base/values.ts'
import {dumpPython, plainMap} from '../yaml/pyyaml/dump.ts'
import {readYaml} from '../yaml/yaml.ts'

/**
 * Formats user and combined overrides as `yaml.safe_dump(default_flow_style=False)` does: blocks, keys
 * sorted; "" for none.
 */
export function blockYaml(values: Values): string {
  return isEmpty(values) ? '' : dumpPython(plainMap(values))
}

/**
 * Formats system overrides as `yaml.safe_dump(default_flow_style=None)` does: `pod:\n  replicas: {server:
 * 1}\n`; "" for none.
 */
export function systemYaml(values: Values): string {
  return isEmpty(values) ? '' : dumpPython(plainMap(values), {style: 'innermost-flow'})
}

/**
 * Returns overrides for people to edit, with block strings; unchanged if that would be parsed differently.
 */
export function editableYaml(yaml: string): string {
  if (yaml === '') return ''
  const values = readYaml(yaml)
  const text = dump(values, {noRefs: true, lineWidth: -1})
  return isReadAs(text, values) ? text : yaml
}

function isReadAs(text: string, values: unknown): boolean {
  try {
    return isDeepStrictEqual(readYaml(text), values)
  } catch {
    return false
  }
}
