import {dirname, relative, resolve} from 'node:path'
import {splitArguments} from '../../environment/choose.ts'
import {KkError} from '../../errors.ts'
import {parseValuesFlag} from '../../overrides/release-flags.ts'
import {savedPlanText} from '../../plan/saved/read-saved-plan.ts'
import type {SavedPath} from '../../plan/saved/saved-plan.ts'
import type {PlanScope} from '../../plan/scope.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {writeNamedFile} from '../../state/files/write-named-file.ts'
import {savedPlan} from '../../verbs/change/apply.ts'
import {VERSION} from '../program/version.ts'
import type {PlanBasis} from './change.ts'

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
