import {mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {execa} from 'execa'

interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
}

export interface Count {
  readonly passed: number
  /** At least 1 if anything else failed. */
  readonly failed: number
  readonly skipped: number
}

const ROOT = join(import.meta.dirname, '..')

/** Runs a program of the repository, with its output shown and these variables; false if it fails. */
export async function step(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  console.log(`\n> ${[...variables, command, ...args].join(' ')}`)
  const options = {cwd: ROOT, env, preferLocal: true, stdio: 'inherit', reject: false} as const
  return !(await execa(command, args, options)).failed
}

/** Runs vitest, shows its slowest files, records failures, and counts. */
export async function runVitest(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Count> {
  const directory = mkdtempSync(join(tmpdir(), 'kk-test-'))
  try {
    const file = join(directory, 'report.json')
    const shown = ['default', './scripts/slowest-files.ts', './scripts/failed-tests.ts', 'json']
    const reporters = [...shown.map((name) => `--reporter=${name}`), `--outputFile.json=${file}`]
    const succeeded = await step('vitest', ['run', ...args, ...reporters], env)
    const {numPassedTests, numFailedTests, numPendingTests} = JSON.parse(
      readFileSync(file, 'utf8'),
    ) as VitestReport
    const failed = numFailedTests === 0 && !succeeded ? 1 : numFailedTests
    return {passed: numPassedTests, failed, skipped: numPendingTests}
  } finally {
    rmSync(directory, {recursive: true})
  }
}

export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
