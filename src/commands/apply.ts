import {dirname, isAbsolute, join, relative} from 'node:path'
import {type ExitCode, KkError} from '../base/errors.ts'
import {argument} from '../cli/argument.ts'
import {KkCommand} from '../cli/command.ts'
import {type Console, tell} from '../cli/console.ts'
import {change} from '../cli/run/change.ts'
import {type ChangeFlags, deployFlags} from '../cli/run/flags.ts'
import {sameAgain} from '../cli/run/same-again.ts'
import {VERSION} from '../cli/version.ts'
import {splitArguments} from '../environment/choose.ts'
import {readSavedPlan} from '../plan/saved/read-saved-plan.ts'
import type {SavedPath, SavedPlan} from '../plan/saved/saved-plan.ts'
import {exists} from '../state/files/exists.ts'
import {readNamedFile} from '../state/files/named-file.ts'
import {expectUnmoved} from '../verbs/change/apply.ts'

export default class Apply extends KkCommand {
  static override summary = 'Do exactly what a saved plan says, or refuse and name what moved since.'
  static override description =
    'Of a plan that "kk plan --save" wrote. The environment is read and planned anew and compared with the saved plan: the cluster, the record of every release, its chart, each layer of its values, its requirements, what is to be done, and in which order. If anything moved, nothing is changed, and kk exits 3. The environment file and those of --values are found where they were; --set is to be given again, for a saved plan holds no values. With --dry-run it is told whether the plan still fits.'
  static override usage = 'PLAN [FILE] [FLAGS]'
  static override examples = [
    'kk apply plan.json --sandbox',
    'Does it still fit?\nkk apply plan.json --sandbox --dry-run',
    'With the environment file at another place.\nkk apply plan.json environments/all-in-one.yaml --sandbox --yes',
  ]
  static override strict = false
  static override args = {
    plan: argument({description: 'The saved plan; and the environment file, in any order.'}),
  }
  static override flags = deployFlags

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Apply)
    process.exitCode = await apply(flags, argv as string[], this.console)
  }
}

/** Does exactly what a saved plan says, or refuses and names what moved since it was saved. */
export async function apply(
  flags: ChangeFlags,
  argv: readonly string[],
  console: Console,
): Promise<ExitCode> {
  const {file: named, releases: plans} = splitArguments(argv)
  const [file, second] = plans
  if (file === undefined || second !== undefined) {
    throw new KkError('KK_USAGE', `kk apply takes one saved plan, but got ${plans.join(', ') || 'none'}`, {
      hint: 'save one with: kk plan --save plan.json',
    })
  }
  const saved = readSavedPlan(await readPlanFile(file), file)
  const environment = named ?? flags.environment ?? (await environmentOf(saved, file))
  const values = flags.values ?? (await valuesOf(saved, file))
  const same = sameAgain({file: environment, names: saved.scope.names, flags: {...flags, values}})
  const again = [`${same.line} --save ${file}`, ...(same.given ? [same.given] : [])].join(', ')
  return change({
    verb: saved.verb,
    flags: {...flags, environment: undefined, values},
    argv: [environment],
    console,
    scope: () => saved.scope,
    startSandbox: false,
    expect: (planned) => {
      expectUnmoved(saved, file, {kk: VERSION, again, planned})
      tell('stderr', `${file} still fits: nothing has moved since it was saved at ${saved.savedAt}\n`)
    },
  })
}

async function readPlanFile(file: string): Promise<string> {
  return readNamedFile(file, {
    what: `the saved plan ${file}`,
    hint: 'save one with: kk plan --save plan.json',
  })
}

async function environmentOf({environment}: SavedPlan, plan: string): Promise<string> {
  if (environment.file === '-') {
    throw new KkError(
      'KK_NO_ENVIRONMENT',
      `the environment of ${plan} was read from standard input, and must be given again`,
      {hint: `kk apply ${plan} - < FILE, or kk apply ${plan} FILE.yaml`},
    )
  }
  const found = await find(environment, plan)
  if (found !== undefined) return found
  throw missing(plan, `the environment file ${environment.file}`, environment, `kk apply ${plan} FILE.yaml`)
}

async function valuesOf({values}: SavedPlan, plan: string): Promise<readonly string[]> {
  const flags: string[] = []
  for (const path of values) {
    const found = await find(path, plan)
    const flag = `--values ${path.release}`
    if (found === undefined)
      throw missing(plan, `${flag}=${path.file}`, path, `${flag}=FILE, for all of them`)
    flags.push(`${path.release}=${found}`)
  }
  return flags
}

/** Beside the plan first: a pipeline unpacks both where it likes. Whatever is found is compared with the digests. */
async function find({absolute, relative: beside}: SavedPath, plan: string): Promise<string | undefined> {
  for (const path of [join(dirname(plan), beside), absolute]) {
    if (await exists(path)) return shortest(path)
  }
  return undefined
}

/** Returns the path as a user would write it. */
function shortest(path: string): string {
  const fromHere = relative(process.cwd(), path)
  return fromHere.startsWith('..') || isAbsolute(fromHere) ? path : fromHere
}

function missing(plan: string, what: string, {absolute, relative: beside}: SavedPath, hint: string): KkError {
  return new KkError(
    'KK_FILE',
    `${what}, of which ${plan} was made, is neither at ${join(dirname(plan), beside)} nor at ${absolute}`,
    {hint: `name it: ${hint}`},
  )
}
