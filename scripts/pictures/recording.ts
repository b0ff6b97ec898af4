import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {pathToFileURL} from 'node:url'
import {execa} from 'execa'
import {chromium} from 'playwright-core'
import {createScreen} from '../../test/report/support/screen.ts'
import {animatedSvg, type Frame, frameOf, terminalSvg} from './terminal-svg.ts'

const ROOT = join(import.meta.dirname, '../..')
const FILE = 'environments/all-in-one.yaml'
const DEPLOY = `deploy ${FILE} --sandbox --yes`
const DEMO = [`graph ${FILE}`, DEPLOY, `status ${FILE} --sandbox`, DEPLOY]
const CHANGE = `keystone --sandbox --set keystone:conf.keystone.token.expiration=3600`
const COLUMNS = 118
const ROWS = 24

/** How long a frame is shown, in seconds. */
const SHOWN = {atLeast: 0.5, atMost: 1.5, afterCommand: 3, atEnd: 6}

/** What a program wrote to its terminal, and when, in seconds. */
interface Output {
  readonly at: number
  readonly text: string
  /** Whether the program has ended with it. */
  readonly isLast: boolean
}

/**
 * Runs dist/kk on a throwaway cluster, and returns the recording of a deploy, a picture of a plan, and one of
 * the report of a run, by their file names.
 */
export async function recordedPictures(): Promise<ReadonlyMap<string, string | Buffer>> {
  const home = await mkdtemp(join(tmpdir(), 'kk-recording-'))
  const kk = (command: string) => run(command, {XDG_STATE_HOME: home})
  const report = join(home, 'report.html')
  try {
    await kk('sandbox up')
    const demo: Output[] = []
    for (const command of DEMO) demo.push(...(await kk(command)))
    const plan = createScreen(COLUMNS, 80)
    for (const {text} of await kk(`plan ${FILE} ${CHANGE} --diff`)) plan.stream.write(text)
    await plan.rows()
    await kk(`upgrade ${FILE} ${CHANGE} --yes --report html=${report}`)
    return new Map<string, string | Buffer>([
      ['demo.svg', animatedSvg(COLUMNS, await framesOf(demo), SHOWN.atEnd)],
      ['plan.svg', terminalSvg(plan.terminal)],
      ['report.png', await screenshot(report)],
    ])
  } finally {
    await kk('sandbox down')
    await rm(home, {recursive: true, force: true})
  }
}

/** Runs a command of kk on a terminal, and returns what it showed, the prompt included. */
async function run(command: string, env: NodeJS.ProcessEnv): Promise<readonly Output[]> {
  const outputs: Output[] = [
    {at: performance.now() / 1000, text: `\u001b[32m$\u001b[39m kk ${command}\n`, isLast: false},
  ]
  const line = `stty columns ${COLUMNS} rows ${ROWS}; dist/kk ${command}`
  const child = execa('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    cwd: ROOT,
    env: {...env, SHELL: '/bin/sh', TERM: 'xterm-256color'},
    stdin: 'ignore',
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    outputs.push({at: performance.now() / 1000, text, isLast: false})
  })
  await child
  return [...outputs, {at: performance.now() / 1000, text: '', isLast: true}]
}

/** Returns what the terminal shows, at most as often as a reader can follow, without long pauses. */
async function framesOf(outputs: readonly Output[]): Promise<readonly Frame[]> {
  const screen = createScreen(COLUMNS, ROWS)
  const frames: Frame[] = []
  let start = outputs[0]!.at
  let at = 0
  for (const [index, {text, isLast}] of outputs.entries()) {
    screen.stream.write(text)
    const next = outputs[index + 1]?.at ?? start
    const seconds = next - start
    if (seconds < SHOWN.atLeast && !isLast) continue
    await screen.rows()
    frames.push(frameOf(screen.terminal, at))
    at += isLast ? SHOWN.afterCommand : Math.min(seconds, SHOWN.atMost)
    start = next
  }
  return frames
}

async function screenshot(file: string): Promise<Buffer> {
  const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']})
  try {
    const page = await browser.newPage({viewport: {width: 1000, height: 800}})
    await page.goto(pathToFileURL(file).href)
    return await page.screenshot({fullPage: true})
  } finally {
    await browser.close()
  }
}
