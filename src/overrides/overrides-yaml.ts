import {isDeepStrictEqual} from 'node:util'
import {dump} from 'js-yaml'
import {isEmpty, type Values} from '../base/values.ts'
import {dumpPython, plainMap} from '../yaml/pyyaml/dump.ts'
import {readYaml} from '../yaml/yaml.ts'

/** User and combined overrides as text: blocks, keys sorted, as `yaml.safe_dump(default_flow_style=False)`; "" for none. */
export function blockYaml(values: Values): string {
  return isEmpty(values) ? '' : dumpPython(plainMap(values))
}

/** System overrides as text: `pod:\n  replicas: {server: 1}\n`, as `yaml.safe_dump(default_flow_style=None)`; "" for none. */
export function systemYaml(values: Values): string {
  return isEmpty(values) ? '' : dumpPython(plainMap(values), {style: 'innermost-flow'})
}

/** Returns overrides for people to edit, texts as blocks; as they stand where that would be read differently. */
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
