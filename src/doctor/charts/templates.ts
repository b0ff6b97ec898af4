import {readdirSync, readFileSync} from 'node:fs'
import {join, sep} from 'node:path'

/** The templates of a chart, each with all named templates that it includes. */
export interface Templates {
  /**
   * Returns the templates of objects (`templates/secret.yaml`) that reach an action that matches the pattern.
   */
  reaching(pattern: RegExp): ReadonlySet<string>
  /** The templates of objects, of the chart itself and of its subcharts. */
  readonly files: readonly string[]
}

interface Text {
  /** All actions except comments, concatenated. */
  readonly actions: string
  /** The named templates that they include. */
  readonly includes: readonly string[]
}

/** Reads a chart's templates with its libraries and subcharts; a packed subchart matches every pattern. */
export function templatesOf(chart: string): Templates {
  const files = readdirSync(chart, {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(chart.length + 1))
  const isPacked = files.some((path) => /^charts\/[^/]+\.tgz$/.test(path))
  const templates = files.filter((path) => `${sep}${path}`.includes(`${sep}templates${sep}`))
  const named = new Map<string, Text>()
  const own = new Map<string, Text>()
  for (const path of templates) {
    const text = readFileSync(join(chart, path), 'utf8')
    for (const [name, body] of definesIn(text)) named.set(name, textOf(body))
    if (/(?:^|\/)templates\/(?:[^_][^/]*\/)*[^_/][^/]*\.(?:ya?ml|json|txt|tpl)$/.test(path))
      own.set(path, textOf(text))
  }
  // Values may contain templates.
  const values = files.filter((path) => /(?:^|\/)values\.yaml$/.test(path))
  const valueActions = textOf(values.map((path) => readFileSync(join(chart, path), 'utf8')).join('\n'))
  return {
    files: [...own.keys()],
    reaching(pattern) {
      const all = [...own.keys()]
      if (isPacked || pattern.test(valueActions.actions)) return new Set(all)
      return new Set(all.filter((path) => isReached(own.get(path)!, pattern, named)))
    },
  }
}

function isReached(start: Text, pattern: RegExp, named: ReadonlyMap<string, Text>): boolean {
  const seen = new Set<Text>()
  const next = [start]
  for (let text = next.pop(); text; text = next.pop()) {
    if (seen.has(text)) continue
    seen.add(text)
    if (pattern.test(text.actions)) return true
    for (const name of text.includes) {
      const included = named.get(name)
      if (included) next.push(included)
    }
  }
  return false
}

/**
 * Returns the named templates of a file, each with everything up to the next: a longer string can only match
 * more.
 */
function definesIn(text: string): readonly (readonly [string, string])[] {
  const starts = Array.from(text.matchAll(/\{\{-?\s*(?:define|block)\s+"([^"]+)"/g))
  return starts.map(({index, 1: name}, at) => [name!, text.slice(index, starts[at + 1]?.index)])
}

function textOf(text: string): Text {
  const actions = (text.match(/\{\{[\s\S]*?\}\}/g) ?? [])
    .filter((action) => !/^\{\{-?\s*\/\*/.test(action))
    .join('\n')
  const includes = Array.from(actions.matchAll(/\b(?:include|template)\s+"([^"]+)"/g), ([, name]) => name!)
  return {actions, includes: [...new Set(includes)]}
}
