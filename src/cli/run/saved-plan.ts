import {access} from 'node:fs/promises'
import {dirname, isAbsolute, join, relative, resolve} from 'node:path'
import {splitArguments} from '../../environment/choose.ts'
import {type ExitCode, KkError} from '../../errors.ts'
import {parseValuesFlag} from '../../overrides/release-flags.ts'
import {readSavedPlan, savedPlanText} from '../../plan/saved/read-saved-plan.ts'
import type {SavedPath, SavedPlan} from '../../plan/saved/saved-plan.ts'
import type {PlanScope} from '../../plan/scope.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {readNamedFile} from '../../state/files/named-file.ts'
import {writeNamedFile} from '../../state/files/write-named-file.ts'
import {expectUnmoved, savedPlan} from '../../verbs/change/apply.ts'
import {type Console, tell} from '../console.ts'
import {VERSION} from '../version.ts'
import {type ChangeFlags, change, type PlanBasis} from './change.ts'
import {sameAgain} from './same-again.ts'

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
    expect: (_, basis) => {
      expectUnmoved(saved, file, {kk: VERSION, again, ...basis})
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
    const exists = await access(path).then(
      () => true,
      () => false,
    )
    if (exists) return shortest(path)
  }
  return undefined
}

/** As a user would write it. */
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

/** Throws `KK_USAGE` for a name by which `kk apply` would not tell the plan from an environment file. */
export function expectPlanName(file: string): void {
  if (splitArguments([file]).file === undefined) return
  throw new KkError('KK_USAGE', `--save ${file}: that name is one of an environment file`, {
    hint: 'give it another ending, e.g. --save plan.json',
  })
}

interface SaveOptions extends PlanBasis {
  readonly scope: PlanScope
  /** As `--values` has them. */
  readonly values: readonly string[]
}

/** Writes a plan to a file that only its owner may read. Throws `KK_FILE`, and `KK_FOREIGN` for one that would be refused. */
export async function savePlan(
  file: string,
  {prepared, observed, scope, values}: SaveOptions,
): Promise<void> {
  const toAdopt = observed.plan.bystanders.filter(({state}) => state === 'to-adopt')
  if (toAdopt.length > 0) throw unadopted(toAdopt.map(({release}) => release))
  const place = (path: string): SavedPath => {
    const absolute = path === '-' ? path : resolve(path)
    return {file: path, absolute, relative: path === '-' ? path : relative(dirname(resolve(file)), absolute)}
  }
  const text = savedPlanText(
    savedPlan(observed, prepared, {
      kk: VERSION,
      savedAt: new Date().toISOString(),
      scope,
      values: values.map(parseValuesFlag).map((flag) => ({release: flag.release, ...place(flag.file)})),
      path: place(observed.plan.file),
    }),
  )
  await writeNamedFile(file, text)
}

function unadopted(releases: readonly ReleaseId[]): KkError {
  const isOne = releases.length === 1
  return new KkError(
    'KK_FOREIGN',
    `the plan is not saved: ${releases.join(', ')} ${isOne ? 'is' : 'are'} wanted, but kk did not install ${isOne ? 'it' : 'them'}`,
    {hint: `take ${isOne ? 'it' : 'them'} over first: kk adopt ${releases.map(releaseName).join(' ')}`},
  )
}
