import type {Environment} from './environment.ts'
import {constructPython} from './pyyaml/construct.ts'
import {dumpPython} from './pyyaml/dump.ts'
import {type PythonMap, type PythonNode, type PythonPair, pythonMap} from './pyyaml/node.ts'
import {type EnvironmentSource, readEnvironmentTree} from './read.ts'

export interface SplitEnvironment {
  readonly environment: Environment
  /** The values file of each section, in the order of the file; `kk` and `global` have none. */
  readonly files: ReadonlyMap<string, string>
}

/**
 * The values files of an environment, as openstack-helm's `values.py` wrote them: the common `global`, then the section.
 * Throws what `readEnvironment` throws.
 */
export function splitEnvironment(source: EnvironmentSource): SplitEnvironment {
  const {environment, root: tree} = readEnvironmentTree({...source, nameless: true})
  const root = constructPython(source, tree) as PythonMap
  const global = root.entries.get('global')
  const common = global ? dumpPython(pythonMap(new Map([['global', global]]))) : ''
  const names = [...root.entries.keys()].filter((name) => name !== 'kk' && name !== 'global')
  const files = names.map((name) => {
    const section = (root.entries.get(name) as PythonPair).value
    return [name, valuesFile({global, common}, section)] as const
  })
  return {environment, files: new Map(files)}
}

interface Common {
  readonly global: PythonPair | undefined
  /** `global` as it is written into every file that does not change it. */
  readonly common: string
}

function valuesFile({global, common}: Common, section: PythonNode): string {
  if (section.kind !== 'map') return common || 'null\n...\n'
  const own = section.entries.get('global')
  if (!own || !global) return section.entries.size === 0 ? common || '{}\n' : common + dumpPython(section)
  const rest = new Map(section.entries)
  rest.delete('global')
  const merged = pythonMap(new Map([['global', {key: own.key, value: merge(global.value, own.value)}]]))
  return dumpPython(merged) + (rest.size === 0 ? '' : dumpPython(pythonMap(rest)))
}

/** As Helm lays one values file over another: maps merge, everything else replaces. */
function merge(below: PythonNode, above: PythonNode): PythonNode {
  if (below.kind !== 'map' || above.kind !== 'map') return above
  const entries = new Map(below.entries)
  for (const [name, pair] of above.entries) {
    const under = entries.get(name)
    entries.set(name, under ? {key: under.key, value: merge(under.value, pair.value)} : pair)
  }
  return pythonMap(entries)
}
