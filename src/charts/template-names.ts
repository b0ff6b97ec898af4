import type {Library} from './chart.ts'
import {readChartFiles} from './files/chart-files.ts'
import {readOwnFiles} from './own-files.ts'

/** A named template: `common.config.block.database`. */
export interface NamedTemplate {
  readonly name: string
  /** From its `define` to the next one. */
  readonly text: string
  /** The comment before it, without its delimiters; empty if there is none. */
  readonly comment: string
}

/**
 * Returns the templates that a chart and its libraries define below a prefix, which is omitted from their
 * names. Throws `KK_CHART`.
 */
export function namedTemplates(chart: Library, prefix: string): readonly NamedTemplate[] {
  const files = [
    ...chart.libraries.flatMap(({directory}) => readChartFiles(directory)),
    ...readOwnFiles(chart),
  ]
  return files
    .filter(({path}) => /(?:^|\/)templates\//.test(path))
    .flatMap(({bytes}) => definesIn(bytes.toString()))
    .filter(({name}) => name.startsWith(prefix))
    .map((template) => ({...template, name: template.name.slice(prefix.length)}))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function definesIn(text: string): readonly NamedTemplate[] {
  const starts = [
    ...text.matchAll(/(?:\{\{-? ?\/\*((?:(?!\*\/)[\s\S])*)\*\/ ?-?\}\}\s*)?\{\{-?\s*define "([^"]+)"/g),
  ]
  return starts.map(({index, 1: comment = '', 2: name}, at) => ({
    name: name!,
    text: text.slice(index, starts[at + 1]?.index),
    comment: comment.trim(),
  }))
}
