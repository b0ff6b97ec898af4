import {appendFileSync, mkdirSync} from 'node:fs'
import {dirname, join, relative} from 'node:path'
import type {Reporter, SerializedError, TestModule} from 'vitest/node'

/** One failure per line, of every run since the directory was emptied. */
const KEPT = join(import.meta.dirname, '../dist/failed-tests.ndjson')

/** A failed test, or a failure outside a test: a hook of a suite, a file that cannot be read. */
export interface Failure {
  readonly project: string
  /** Relative to the repository. */
  readonly file: string
  /** The test with its suites; empty for a whole file. */
  readonly name: string
  /** The seeds that repeat it: of fast-check with its path, or `KK_TEST_SEED`. */
  readonly seeds: readonly string[]
  readonly messages: readonly string[]
}

/**
 * A reporter for vitest that keeps the name, the seeds and the messages of each failure once its file has
 * ended: vitest prints them at the end of a run, which may be hours later, or never. vitest finds the
 * reporter by `--reporter=PATH`.
 */
export default function failedTestsReporter(): Reporter {
  const kept = new Set<TestModule>()
  const keep = (module: TestModule) => {
    if (kept.has(module)) return
    kept.add(module)
    const failures = failuresOf(module)
    if (failures.length === 0) return
    const at = new Date().toISOString()
    mkdirSync(dirname(KEPT), {recursive: true})
    appendFileSync(KEPT, failures.map((failure) => `${JSON.stringify({at, ...failure})}\n`).join(''))
  }
  return {
    onTestModuleEnd: keep,
    onTestRunEnd(modules) {
      for (const module of modules) keep(module)
      const failures = modules.flatMap(failuresOf)
      if (failures.length > 0) console.log(failureText(failures))
    },
  }
}

function failuresOf(module: TestModule): readonly Failure[] {
  const file = relative('.', module.moduleId)
  const failure = (name: string, errors: readonly SerializedError[]): Failure => {
    const messages = errors.map(({message = ''}) => message)
    return {
      project: module.project.name,
      file,
      name,
      seeds: messages.flatMap(seedsIn),
      messages: messages.map(shortened),
    }
  }
  const suites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0)
  return [
    ...(module.errors().length > 0 ? [failure('', module.errors())] : []),
    ...suites.map((suite) => failure(suite.fullName, suite.errors())),
    ...[...module.children.allTests('failed')].map((test) =>
      failure(test.fullName, test.result().errors ?? []),
    ),
  ]
}

/** The maximum length of a stored message, in characters. */
const LONGEST = 2_000

function shortened(message: string): string {
  return message.slice(0, LONGEST)
}

const SEED = /\bseed: -?\d+(?:, path: "[^"]*")?|\bKK_TEST_SEED=\d+/g

/** Returns the seeds that a message names. */
export function seedsIn(message: string): readonly string[] {
  return message.match(SEED) ?? []
}

/** Returns the lines that are printed at the end of a run, after the output of thousands of tests. */
export function failureText(failures: readonly Failure[]): string {
  const lines = failures.map(({project, file, name, seeds}) =>
    [`  ${project}  ${file}`, ...(name === '' ? [] : [name]), ...seeds].join(' > '),
  )
  return ['', `failed, and kept in ${relative('.', KEPT)}:`, ...lines].join('\n')
}
