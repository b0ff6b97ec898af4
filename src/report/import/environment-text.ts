import type {Values} from '../../base/values.ts'
import {
  commonNamespace,
  type Imported,
  type ImportedRelease,
  releaseSettings,
} from '../../exchange/imported.ts'
import {blockYaml} from '../../overrides/overrides-yaml.ts'
import {releaseId} from '../../release.ts'

/** Returns an environment file with what was imported; what could not be found is in comments. */
export function environmentText({name, from, charts, releases, lost}: Imported): string {
  const namespace = commonNamespace(releases)
  const settings = Object.fromEntries(
    releases.flatMap((release) => {
      const own = releaseSettings(release, namespace)
      return Object.keys(own).length === 0 ? [] : [[release.name, own]]
    }),
  )
  const kk = {
    name,
    namespace,
    ...(charts.length > 0 && {charts}),
    ...(Object.keys(settings).length > 0 && {releases: settings}),
  }
  return [
    comment(`Made by kk import from ${from}.`),
    ...(lost.length === 0
      ? []
      : [comment('Not known, or not carried over:'), ...lost.map((each) => comment(`- ${each}`))]),
    yaml({kk}),
    ...releases.map(sectionText),
  ].join('')
}

/** Where an imported environment is: in a file, or nowhere but in its text. */
interface WrittenEnvironment {
  readonly dryRun: boolean
  readonly file?: string
  readonly text?: string
}

/** Returns for programs what was imported, as the text has it. */
export function importDocument({name, from, releases, lost}: Imported, written: WrittenEnvironment) {
  return {
    environment: name,
    from,
    ...written,
    releases: releases.map(({name: release, namespace, chart, requires}) => ({
      release: releaseId(namespace, release),
      chart: chart.name,
      ...(chart.version !== undefined && {version: chart.version}),
      requires,
    })),
    lost,
  }
}

function sectionText({name, values, notes}: ImportedRelease): string {
  return [...notes.map(comment), yaml({[name]: values})].join('')
}

/** Returns a comment on one line, with characters that YAML allows only. */
function comment(text: string): string {
  return `# ${text.replaceAll(/[\s\p{C}]+/gu, ' ')}\n`
}

/** Returns YAML in which words that YAML 1.1 would read as something else have quotes. */
function yaml(value: Values): string {
  return blockYaml(JSON.parse(JSON.stringify(value)))
}
