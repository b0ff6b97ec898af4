import {dumpPython, plainMap} from '../environment/pyyaml/dump.ts'
import type {Values} from '../release.ts'

/** User and combined overrides as text: blocks, keys sorted, as `yaml.safe_dump(default_flow_style=False)`; "" for none. */
export function blockYaml(values: Values): string {
  return Object.keys(values).length === 0 ? '' : dumpPython(plainMap(values))
}

/** System overrides as text: `pod:\n  replicas: {server: 1}\n`, as `yaml.safe_dump(default_flow_style=None)`; "" for none. */
export function systemYaml(values: Values): string {
  return Object.keys(values).length === 0 ? '' : dumpPython(plainMap(values), 'innermost-flow')
}
