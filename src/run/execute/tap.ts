import {load} from 'js-yaml'
import {isMap} from '../../base/values.ts'
import type {TestResult} from '../events.ts'

const VERSION = /^TAP version 1[34]$/
const POINT =
  /^(?<not>not )?ok(?: \d+)?(?: -)? ?(?<name>(?:\\.|[^\\])*?)(?:\s+#\s*(?<directive>skip|todo)\b\s*(?<why>.*))?$/i

/**
 * Returns the tests that a log in the form of TAP 13 or 14 tells of, the Test Anything Protocol (testanything.org): each
 * with its name, how it ended, how long it took, and what it said. Empty for a log of any other form.
 */
export function testsInTap(lines: readonly string[]): readonly TestResult[] {
  const start = lines.findIndex((line) => VERSION.test(line))
  if (start < 0) return []
  const tests: TestResult[] = []
  for (let at = start + 1; at < lines.length; at++) {
    const groups = POINT.exec(lines[at]!)?.groups
    if (groups === undefined) continue
    const end = endOfDetails(lines, at + 1)
    const details = end === undefined ? {} : detailsOf(lines.slice(at + 2, end))
    tests.push({...ended(groups), ...details})
    at = end ?? at
  }
  return tests
}

/** A test that fails and is known to fail (`TODO`) does not count as failed. */
function ended({not, name, directive, why}: Readonly<Record<string, string | undefined>>): TestResult {
  const outcome = directive === undefined ? (not ? 'failed' : 'passed') : 'skipped'
  return {name: name!.replaceAll(/\\(.)/g, '$1'), outcome, ...(why && {text: why})}
}

/** The line that ends the block of YAML which begins here; undefined if none does. */
function endOfDetails(lines: readonly string[], start: number): number | undefined {
  if (lines[start]?.trim() !== '---') return undefined
  const end = lines.findIndex((line, at) => at > start && !line.startsWith('   ') && line.trim() === '...')
  return end < 0 ? undefined : end
}

/** The seconds and the text of a block of YAML; what cannot be read tells nothing. */
function detailsOf(lines: readonly string[]): Pick<TestResult, 'seconds' | 'text'> {
  const details = parsed(lines.join('\n'))
  if (!isMap(details)) return {}
  const {duration_ms: milliseconds, message} = details
  return {
    ...(typeof milliseconds === 'number' && {seconds: milliseconds / 1000}),
    ...(typeof message === 'string' && {text: message.trimEnd()}),
  }
}

function parsed(text: string): unknown {
  try {
    return load(text)
  } catch {
    return undefined
  }
}
