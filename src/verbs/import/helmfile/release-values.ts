import {existsSync, readFileSync} from 'node:fs'
import {resolve} from 'node:path'
import {mergeValues} from '../../../overrides/merge.ts'
import {applySet} from '../../../overrides/strvals.ts'
import type {Values} from '../../../release.ts'
import type {HelmfileRelease, HelmfileSet} from './helmfile.ts'
import {readMaps} from './read-maps.ts'

/** The values of a release: files and maps in their order, then `set`; later ones win. What cannot be read is told to `lose`. */
export function releaseValues(
  {name = '', values = [], set = [], setString = []}: HelmfileRelease,
  directory: string,
  lose: (what: string) => void,
): Values {
  let merged: Values = {}
  for (const each of values) {
    if (typeof each !== 'string') merged = mergeValues(merged, (each ?? {}) as Values)
    else if (/\.gotmpl$/.test(each)) lose(`the values file ${each} of ${name}: it is a template`)
    else if (!existsSync(resolve(directory, each)))
      lose(`the values file ${each} of ${name}: it is not there`)
    else
      for (const read of readMaps(readFileSync(resolve(directory, each), 'utf8'), each))
        merged = mergeValues(merged, read as Values)
  }
  const source = `set of ${name}`
  for (const each of set.filter(isNamed)) {
    if (each.file !== undefined) lose(`${each.name} of ${name}, which is set from the file ${each.file}`)
    else merged = applySet(expression(each), merged, {mode: 'typed', source})
  }
  for (const each of setString.filter(isNamed))
    merged = applySet(expression(each), merged, {mode: 'string', source})
  return merged
}

function isNamed({name}: HelmfileSet): boolean {
  return name !== undefined
}

/** As `--set` takes it: a comma would begin another key. */
function expression({name, value, values}: HelmfileSet): string {
  const text = values === undefined ? escaped(value) : `{${values.map(escaped).join(',')}}`
  return `${name}=${text}`
}

function escaped(value: unknown): string {
  return String(value ?? '').replaceAll(/[\\,]/g, (character) => `\\${character}`)
}
