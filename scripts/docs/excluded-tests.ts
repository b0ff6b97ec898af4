import {readFileSync} from 'node:fs'
import {load} from 'js-yaml'
import {markdownTable} from './marked.ts'

interface Excluded {
  readonly test: string
  readonly nodes?: number
  readonly needs?: string
  readonly reason: string
  readonly bug?: string
}

/** Returns the tests that the chart of Tempest in this directory excludes, as a table in Markdown. */
export function excludedTests(chart: string): string {
  const {conf} = load(readFileSync(`${chart}/values.yaml`, 'utf8')) as {
    readonly conf: {readonly excluded: readonly Excluded[]}
  }
  const rows = conf.excluded.map(({test, nodes, needs, reason, bug}) => [
    `\`${test}\``,
    nodes === undefined ? (needs ?? '') : `${nodes} nodes`,
    bug === undefined ? reason : `${reason}: ${bug}`,
  ])
  return markdownTable(['tests', 'need', 'reason'], rows)
}
