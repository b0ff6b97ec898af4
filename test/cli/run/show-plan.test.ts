import {afterEach, beforeEach, expect, it, vi} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import {type Output, openConsole} from '../../../src/cli/console.ts'
import {notOperatedCheck, type PlanView, showPlan} from '../../../src/cli/run/run.ts'
import {port} from '../../kubernetes/support/port.ts'
import {action, plan} from '../../report/support/plans.ts'

const written = {stdout: '', stderr: ''}
beforeEach(() => {
  for (const name of ['stdout', 'stderr'] as const) {
    written[name] = ''
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += text
      return true
    })
  }
})
afterEach(() => {
  vi.restoreAllMocks()
})

const TO_DO = plan({actions: [action('db', 'install')]})
const IDLE = plan({actions: [action('db', 'unchanged')]})

function shown(planned: typeof TO_DO, flags: {output: Output; 'dry-run': boolean}, view?: PlanView) {
  return showPlan(planned, {flags, console: openConsole(['--no-color']), reports: undefined}, view)
}

/** What stands on a stream: the plan for people, one document of it, or nothing. */
function form(text: string): string {
  if (text === '') return 'nothing'
  if (text.startsWith('{') && text.trim().includes('\n')) return 'document'
  return text.startsWith('{') ? 'line' : 'text'
}

it.each([
  ['text', true, 0, 'text', 'nothing'],
  ['json', true, 0, 'document', 'nothing'],
  ['ndjson', true, 0, 'line', 'nothing'],
  ['text', false, undefined, 'nothing', 'text'],
  ['json', false, undefined, 'nothing', 'text'],
  ['ndjson', false, undefined, 'nothing', 'text'],
] as const)(
  'a plan with changes (--output %s, dry run %s) exits with %s, and prints %s on stdout and %s on stderr',
  async (output, isDry, exit, stdout, stderr) => {
    expect(await shown(TO_DO, {output, 'dry-run': isDry})).toBe(exit)
    expect([form(written.stdout), form(written.stderr)]).toEqual([stdout, stderr])
  },
)

it.each([
  ['json', 'nothing'],
  ['ndjson', 'line'],
] as const)(
  'a dry run with checks prints no document before the checks, and only its line: %s',
  async (output, stdout) => {
    expect(await shown(TO_DO, {output, 'dry-run': true}, {isCheckedDry: true})).toBeUndefined()
    expect(form(written.stdout)).toBe(stdout)
  },
)

it.each([
  ['text', 'text'],
  ['json', 'nothing'],
  ['ndjson', 'line'],
] as const)('a dry run prints its plan before it is refused like the run: %s', async (output, stdout) => {
  const refuse = () => Promise.reject(new Error('refused'))

  await expect(shown(TO_DO, {output, 'dry-run': true}, {refuse})).rejects.toThrow('refused')

  expect(form(written.stdout)).toBe(stdout)
})

it.each([
  ['a run, which refuses by itself', TO_DO, false, undefined],
  ['a dry run with nothing to do', IDLE, true, 0],
] as const)('%s is not refused together with its plan', async (_, planned, isDry, exit) => {
  const refuse = () => Promise.reject(new Error('refused'))

  expect(await shown(planned, {output: 'text', 'dry-run': isDry}, {refuse})).toBe(exit)
})

it('a plan is shown to a user who may not read which operator manages the environment', async () => {
  const driver = () => Promise.reject(new KkError('KK_FORBIDDEN', 'leases'))

  await expect(notOperatedCheck(port({driver}), TO_DO).refuse()).resolves.toBeUndefined()
  const {refuse} = notOperatedCheck(port({driver: async () => 'the operator'}), TO_DO)
  await expect(refuse()).rejects.toMatchObject({code: 'KK_OPERATED', exit: 3})
})

it('a run with nothing to do prints the result of a run without an id', async () => {
  expect(await shown(IDLE, {output: 'json', 'dry-run': false}, {nothing: {left: []}})).toBe(0)
  expect(JSON.parse(written.stdout)).toMatchObject({run: null, releases: [{state: 'unchanged'}], left: []})
  expect(form(written.stderr)).toBe('text')
})

it('a plan with nothing to do is printed as one line with --output ndjson', async () => {
  expect(await shown(IDLE, {output: 'ndjson', 'dry-run': false}, {isAnswer: true, document: {a: 1}})).toBe(0)
  expect(written.stdout).toBe('{"a":1}\n')
})
