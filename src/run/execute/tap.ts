import {load} from 'js-yaml'
import {isMap} from '../../base/values.ts'
import type {TestResult} from '../events.ts'

const VERSION = /^TAP version 1[34]$/
const POINT =
  /^(?<not>not )?ok(?: \d+)?(?: -)? ?(?<name>(?:\\.|[^\\])*?)(?:\s+#\s*(?<directive>skip|todo)\b\s*(?<why>.*))?$/i

/**
 * Parses the tests in a log in TAP 13 or 14, the Test Anything Protocol (testanything.org): name, outcome,
 * duration and message of each. Empty for a log in another format.
 */
export function testsInTap(lines: readonly string[]): readonly TestResult[] {
  const start = lines.findIndex((line) => VERSION.test(line))
  if (start < 0) return []
  const tests: TestResult[] = []
  for (let at = start + 1; at < lines.length; at++) {
    const groups = POINT.exec(lines[at]!)?.groups
    if (groups === undefined) continue
    const end = endOfDetails(lines, at + 1)
    const details = end === undefined ? {} : parseDetails(lines.slice(at + 2, end))
    tests.push({...parsePoint(groups), ...details})
    at = end ?? at
  }
  return tests
}

/** Parses a test point. A failing test that is known to fail (`TODO`) does not count as failed. */
function parsePoint({not, name, directive, why}: Readonly<Record<string, string | undefined>>): TestResult {
  const outcome = directive === undefined ? (not ? 'failed' : 'passed') : 'skipped'
  return {name: name!.replaceAll(/\\(.)/g, '$1'), outcome, ...(why && {text: why})}
}

/** Returns the index of the line that ends the YAML block starting here; undefined if there is no block. */
function endOfDetails(lines: readonly string[], start: number): number | undefined {
  if (lines[start]?.trim() !== '---') return undefined
  const end = lines.findIndex((line, at) => at > start && !line.startsWith('   ') && line.trim() === '...')
  return end < 0 ? undefined : end
}

/** Returns the duration and the message in a YAML block; nothing if it cannot be parsed. */
function parseDetails(lines: readonly string[]): Pick<TestResult, 'seconds' | 'text'> {
  const details = parseYaml(lines.join('\n'))
  if (!isMap(details)) return {}
  const {duration_ms: milliseconds, message} = details
  return {
    ...(typeof milliseconds === 'number' && {seconds: milliseconds / 1000}),
    ...(typeof message === 'string' && {text: message.trimEnd()}),
  }
}

function parseYaml(text: string): unknown {
  try {
    return load(text)
  } catch {
    return undefined
  }
}
