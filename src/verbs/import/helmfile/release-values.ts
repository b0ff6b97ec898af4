import {readFileSync, statSync} from 'node:fs'
import {resolve} from 'node:path'
import {readYamlDocuments} from '../../../helm/yaml.ts'
import {isMap, mergeValues} from '../../../overrides/merge.ts'
import {applySet} from '../../../overrides/strvals.ts'
import type {Values} from '../../../release.ts'
import type {HelmfileRelease, HelmfileSet} from './helmfile.ts'

/** The values of a release: files and maps in their order, then `set`; later ones win. What cannot be read is told to `lose`. */
export function releaseValues(
  {name, values = [], set = [], setString = []}: HelmfileRelease,
  directory: string,
  lose: (what: string) => void,
): Values {
  let merged: Values = {}
  for (const each of values) {
    const maps = typeof each === 'string' ? mapsOf(each, directory) : [(each ?? {}) as Values]
    if (typeof maps === 'string') lose(`the values file ${each} of ${name}: ${maps}`)
    else for (const map of maps) merged = mergeValues(merged, map)
  }
  const source = `set of ${name}`
  for (const each of set) {
    if (each.file !== undefined) lose(`${each.name} of ${name}, which is set from the file ${each.file}`)
    else merged = applySet(expression(each), merged, {mode: 'typed', source})
  }
  for (const each of setString) merged = applySet(expression(each), merged, {mode: 'string', source})
  return merged
}

/** The maps of a values file, or why there are none. */
function mapsOf(file: string, directory: string): readonly Values[] | string {
  if (/\.gotmpl$/.test(file)) return 'it is a template'
  const path = resolve(directory, file)
  if (!statSync(path, {throwIfNoEntry: false})?.isFile()) return 'it is not there'
  const documents = readYamlDocuments(readFileSync(path, 'utf8'), {file}).filter((each) => each !== null)
  return documents.every(isMap) ? documents : 'it is no map'
}

/** As `--set` takes it: a comma would begin another key. */
function expression({name, value, values}: HelmfileSet): string {
  const text = values === undefined ? escaped(value) : `{${values.map(escaped).join(',')}}`
  return `${name}=${text}`
}

function escaped(value: unknown): string {
  return String(value ?? '').replaceAll(/[\\,]/g, (character) => `\\${character}`)
}
