import {KkError} from '../../errors.ts'
import {pathPattern} from './path-pattern.ts'

/** Whether Helm leaves out this path, which is relative to the chart and has no slash at its end. */
export type Ignores = (path: string, isDirectory: boolean) => boolean

interface Rule {
  readonly negated: boolean
  readonly directoriesOnly: boolean
  matches(path: string): boolean
}

/** What Helm leaves out of every chart (`Rules.AddDefaults`). */
const DEFAULTS = ['templates/.?*']

/**
 * The rules of a `.helmignore`, as Helm's `pkg/ignore/rules.go` reads them: the first that applies decides, and a
 * negated one leaves out all that does *not* match. Throws `KK_CHART` with the line that Helm would refuse.
 */
export function parseHelmignore(text: string, file: string): Ignores {
  const lines = text.replace(/^\ufeff/, '').split('\n')
  const stated = lines.map((line, index) => parseRule(line.trim(), `${file}:${index + 1}`))
  const rules = [...stated, ...DEFAULTS.map((line) => parseRule(line, file))].filter(
    (rule) => rule !== undefined,
  )
  return (path, isDirectory) => {
    for (const rule of rules) {
      const applies = (isDirectory || !rule.directoriesOnly) && rule.matches(path)
      if (applies !== rule.negated) return true
    }
    return false
  }
}

function parseRule(line: string, place: string): Rule | undefined {
  if (line === '' || line.startsWith('#')) return undefined
  if (line.includes('**')) throw refused(place, 'Helm does not support ** in .helmignore')
  if (!pathPattern(line)) throw refused(place, `the pattern ${JSON.stringify(line)} is malformed`)

  const negated = line.startsWith('!')
  const unsigned = negated ? line.slice(1) : line
  const directoriesOnly = unsigned.endsWith('/')
  const path = directoriesOnly ? unsigned.slice(0, -1) : unsigned
  const wholePath = path.includes('/')
  const pattern = pathPattern(path.replace(/^\//, ''))
  return {
    negated,
    directoriesOnly,
    matches: (name) => pattern?.test(wholePath ? name : name.slice(name.lastIndexOf('/') + 1)) ?? false,
  }
}

function refused(place: string, reason: string): KkError {
  return new KkError('KK_CHART', `${place}: ${reason}`, {
    hint: 'correct the rule: helm would refuse this chart too',
  })
}
