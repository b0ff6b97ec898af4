import {isAbsolute, relative, resolve} from 'node:path'
import {mergeValues} from '../base/merge.ts'
import type {Values} from '../base/values.ts'
import {dumpYaml} from '../yaml/dump.ts'
import {type EnvironmentDocument, type EnvironmentPart, readDocument} from './read.ts'

/**
 * Merges a document over the parts that it names, the lowest first, as Helm merges values: maps merge,
 * everything else replaces. The result replaces the file, and is parsed again from its text, so that it means
 * the same wherever it is sent; comments and anchors are lost. Positions refer to the original files.
 */
export function mergeDocument(
  own: EnvironmentDocument,
  parts: readonly EnvironmentPart[],
): EnvironmentDocument {
  const files = [...parts, own]
  const values = files.map((each) => contribution(each, own.source.directory))
  const source = {...own.source, text: dumpYaml(mergeValues(...values)), isMerged: true}
  const positions = files.map(({position}) => position).toReversed()
  return {
    ...readDocument(source),
    position: (path) => {
      for (const position of positions) {
        const place = position(path)
        if (place) return place
      }
      return undefined
    },
  }
}

/**
 * Returns what a part adds: no names of files, paths relative to the directory, and `{}` for empty sections.
 */
function contribution({value, source}: EnvironmentPart, directory: string): Values {
  const {kk, ...sections} = value
  const rebased = (path: string) =>
    isAbsolute(path) || source.directory === directory
      ? path
      : `./${relative(directory, resolve(source.directory, path))}`
  return {
    ...(kk ? {kk: settings(kk as Values, rebased)} : {}),
    ...Object.fromEntries(Object.entries(sections).map(([name, values]) => [name, values ?? {}])),
  }
}

function settings(
  {include: _, charts, releases, ...rest}: Values,
  rebased: (path: string) => string,
): Values {
  return {
    ...rest,
    ...(charts ? {charts: (charts as (string | Values)[]).map((each) => rebasedSource(each, rebased))} : {}),
    ...(releases ? {releases: withoutFiles(releases as Readonly<Record<string, Values | null>>)} : {}),
  }
}

function withoutFiles(releases: Readonly<Record<string, Values | null>>): Values {
  return Object.fromEntries(
    Object.entries(releases).map(([name, release]) => {
      const {values: _, ...rest} = release ?? {}
      return [name, rest]
    }),
  )
}

function rebasedSource(source: string | Values, rebased: (path: string) => string): string | Values {
  if (typeof source === 'string')
    return source === 'built-in' || source.startsWith('oci://') ? source : rebased(source)
  return 'keyring' in source ? {...source, keyring: rebased(source.keyring as string)} : source
}
