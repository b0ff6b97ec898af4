/** `npm test`: everything, with end-to-end tests; brings what it needs. Ends with `N passed, N failed`. */
import {mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {execa} from 'execa'
import {ensureSystemPackages} from './system-packages.ts'

interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numFailedTestSuites: number
  readonly success: boolean
}

const ROOT = join(import.meta.dirname, '..')

async function step(command: string, ...args: string[]): Promise<boolean> {
  console.log(`\n> ${command} ${args.join(' ')}`)
  const {failed} = await execa(command, args, {cwd: ROOT, preferLocal: true, stdio: 'inherit', reject: false})
  return !failed
}

async function test(): Promise<boolean> {
  await ensureSystemPackages((line) => console.log(line))
  for (const script of ['toolbox', 'build']) if (!(await step('node', `scripts/${script}.ts`))) return false
  const checked = (await step('biome', 'check')) && (await step('tsc'))
  const directory = mkdtempSync(join(tmpdir(), 'kk-test-'))
  const file = join(directory, 'report.json')
  const tested = await step(
    'vitest',
    'run',
    ...process.argv.slice(2),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  )
  const report = JSON.parse(readFileSync(file, 'utf8')) as VitestReport
  rmSync(directory, {recursive: true})
  const failed = report.numFailedTests + (checked ? 0 : 1) + (report.numFailedTests === 0 && !tested ? 1 : 0)
  console.log(`\n${report.numPassedTests} passed, ${failed} failed`)
  return failed === 0
}

process.exitCode = (await test()) ? 0 : 1
