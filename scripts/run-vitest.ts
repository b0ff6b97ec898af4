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
  /** At least 1 when anything else went wrong. */
  readonly failed: number
  readonly skipped: number
}

const ROOT = join(import.meta.dirname, '..')

/** Runs a program of the repository, with its output shown; false when it fails. */
export async function step(command: string, ...args: readonly string[]): Promise<boolean> {
  console.log(`\n> ${command} ${args.join(' ')}`)
  const {failed} = await execa(command, args, {cwd: ROOT, preferLocal: true, stdio: 'inherit', reject: false})
  return !failed
}

/** Runs vitest, shows its slowest files, and counts. */
export async function runVitest(...args: readonly string[]): Promise<Count> {
  const directory = mkdtempSync(join(tmpdir(), 'kk-test-'))
  try {
    const file = join(directory, 'report.json')
    const shown = ['--reporter=default', '--reporter=./scripts/slowest-files.ts']
    const reporters = [...shown, '--reporter=json', `--outputFile.json=${file}`]
    const succeeded = await step('vitest', 'run', ...args, ...reporters)
    const {numPassedTests, numFailedTests, numPendingTests} = JSON.parse(
      readFileSync(file, 'utf8'),
    ) as VitestReport
    const failed = numFailedTests === 0 && !succeeded ? 1 : numFailedTests
    return {passed: numPassedTests, failed, skipped: numPendingTests}
  } finally {
    rmSync(directory, {recursive: true})
  }
}
