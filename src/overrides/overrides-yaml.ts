import {dumpPython, plainMap} from '../environment/pyyaml/dump.ts'
import {isEmpty, type Values} from '../release.ts'

/** User and combined overrides as text: blocks, keys sorted, as `yaml.safe_dump(default_flow_style=False)`; "" for none. */
export function blockYaml(values: Values): string {
  return isEmpty(values) ? '' : dumpPython(plainMap(values))
}

/** System overrides as text: `pod:\n  replicas: {server: 1}\n`, as `yaml.safe_dump(default_flow_style=None)`; "" for none. */
export function systemYaml(values: Values): string {
  return isEmpty(values) ? '' : dumpPython(plainMap(values), 'innermost-flow')
}
