import {dirname, isAbsolute, join, relative} from 'node:path'
import {type ExitCode, KkError} from '../base/errors.ts'
import {argument} from '../cli/argument.ts'
import {KkCommand} from '../cli/command.ts'
import {type Console, writeView} from '../cli/console.ts'
import {change} from '../cli/run/change.ts'
import {type ChangeFlags, deployFlags} from '../cli/run/flags.ts'
import {repeatCommand} from '../cli/run/repeat-command.ts'
import {VERSION} from '../cli/version.ts'
import {splitArguments} from '../environment/choose.ts'
import {readSavedPlan} from '../plan/saved/read-saved-plan.ts'
import type {SavedPath, SavedPlan} from '../plan/saved/saved-plan.ts'
import {exists} from '../state/files/exists.ts'
import {readNamedFile} from '../state/files/named-file.ts'
import {expectPlanCurrent} from '../verbs/change/apply.ts'

export default class Apply extends KkCommand {
  static override summary = 'Carry out a saved plan exactly, or refuse and list what has changed since.'
  static override description =
    'Takes a plan that "kk plan --save" wrote. kk plans the environment again and compares the result with the saved plan: the cluster, the record of every release, its chart, each layer of its values, its requirements, the actions and their order. If anything differs, kk changes nothing and exits 3. The environment file and the files of --values are read from where they were. --set must be passed again, because a saved plan contains no values. With --dry-run, only reports whether the plan is still valid.'
  static override usage = 'PLAN [FILE] [FLAGS]'
  static override examples = [
    'kk apply plan.json --sandbox',
    'Check whether the plan is still valid.\nkk apply plan.json --sandbox --dry-run',
    'With the environment file at another path.\nkk apply plan.json environments/all-in-one.yaml --sandbox --yes',
  ]
  static override strict = false
  static override args = {
    plan: argument({description: 'The saved plan and, optionally, the environment file, in any order.'}),
  }
  static override flags = deployFlags

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Apply)
    process.exitCode = await apply(flags, argv as string[], this.console)
  }
}

/** Carries out a saved plan exactly, or refuses and lists what has changed since it was saved. */
export async function apply(
  flags: ChangeFlags,
  argv: readonly string[],
  console: Console,
): Promise<ExitCode> {
  const {file: environmentFile, releases: plans} = splitArguments(argv)
  const [file, second] = plans
  if (file === undefined || second !== undefined) {
    throw new KkError('KK_USAGE', `kk apply takes one saved plan, but got ${plans.join(', ') || 'none'}`, {
      hint:
        environmentFile === undefined && flags.environment === undefined
          ? 'save one with: kk plan --save plan.json'
          : `did you mean kk deploy ${environmentFile ?? flags.environment}? It needs no saved plan`,
    })
  }
  const saved = readSavedPlan(await readPlanFile(file), file)
  const environment = environmentFile ?? flags.environment ?? (await findEnvironment(saved, file))
  const values = flags.values ?? (await findValues(saved, file))
  const same = repeatCommand({file: environment, names: saved.scope.names, flags: {...flags, values}})
  const saveArguments = [`${same.line} --save ${file}`, ...(same.setHint ? [same.setHint] : [])].join(', ')
  return change({
    verb: saved.verb,
    flags: {...flags, environment: undefined, values},
    argv: [environment],
    console,
    scope: () => saved.scope,
    startSandbox: false,
    expect: (planned) => {
      expectPlanCurrent(saved, file, {kk: VERSION, saveArguments, planned})
      writeView(
        'stderr',
        `${file} is still valid: nothing has changed since it was saved at ${saved.savedAt}\n`,
      )
    },
  })
}

async function readPlanFile(file: string): Promise<string> {
  return readNamedFile(file, {
    what: `the saved plan ${file}`,
    hint: 'save one with: kk plan --save plan.json',
  })
}

async function findEnvironment({environment}: SavedPlan, plan: string): Promise<string> {
  if (environment.file === '-') {
    throw new KkError(
      'KK_NO_ENVIRONMENT',
      `the environment of ${plan} was read from standard input, and must be passed again`,
      {hint: `kk apply ${plan} - < FILE, or kk apply ${plan} FILE.yaml`},
    )
  }
  const path = await find(environment, plan)
  if (path !== undefined) return path
  throw missing(plan, `the environment file ${environment.file}`, environment, `kk apply ${plan} FILE.yaml`)
}

async function findValues({values}: SavedPlan, plan: string): Promise<readonly string[]> {
  const flags: string[] = []
  for (const saved of values) {
    const path = await find(saved, plan)
    const flag = `--values ${saved.release}`
    if (path === undefined)
      throw missing(plan, `${flag}=${saved.file}`, saved, `${flag}=FILE, for all of them`)
    flags.push(`${saved.release}=${path}`)
  }
  return flags
}

/**
 * Returns the path of a file that a plan was made of, undefined if it does not exist. Looks relative to the
 * plan first, because a pipeline may unpack both anywhere. The caller compares the content with the digests
 * of the plan.
 */
async function find({absolute, relative: fromPlan}: SavedPath, plan: string): Promise<string | undefined> {
  for (const path of [join(dirname(plan), fromPlan), absolute]) {
    if (await exists(path)) return shortest(path)
  }
  return undefined
}

/** Returns the path as a user would write it. */
function shortest(path: string): string {
  const fromHere = relative(process.cwd(), path)
  return fromHere.startsWith('..') || isAbsolute(fromHere) ? path : fromHere
}

function missing(
  plan: string,
  what: string,
  {absolute, relative: fromPlan}: SavedPath,
  hint: string,
): KkError {
  return new KkError(
    'KK_FILE',
    `${what}, of which ${plan} was made, is neither at ${join(dirname(plan), fromPlan)} nor at ${absolute}`,
    {hint: `pass its path: ${hint}`},
  )
}
