import {dirname, relative, resolve} from 'node:path'
import {Flags} from '@oclif/core'
import {KkError} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {
  adoptStoreFlags,
  clusterFlags,
  documentFlags,
  environmentFlags,
  type FlagValues,
  helmFlags,
  lockFlags,
  releasesArgument,
  valueFlags,
} from '../cli/flags.ts'
import {heedLock} from '../cli/open/charts.ts'
import {openUsersHelm} from '../cli/open/cluster.ts'
import {openOnCluster} from '../cli/open/open.ts'
import {openSecrets} from '../cli/open/secrets.ts'
import type {PlanBasis} from '../cli/run/change.ts'
import {conflictFlags, versionFlags} from '../cli/run/flags.ts'
import {placeOf} from '../cli/run/same-again.ts'
import {VERSION} from '../cli/version.ts'
import {deployChange, replacedIn} from '../doctor/checks/change.ts'
import {checkBefore} from '../doctor/checks/checks.ts'
import {splitArguments} from '../environment/choose.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import {parseValuesFlag} from '../overrides/release-flags.ts'
import {hasChanges, withNotes} from '../plan/plan.ts'
import {savedPlanText} from '../plan/saved/read-saved-plan.ts'
import type {SavedPath} from '../plan/saved/saved-plan.ts'
import type {PlanScope} from '../plan/scope.ts'
import {preparedMask} from '../prepare/environment-mask.ts'
import type {Prepared} from '../prepare/prepare.ts'
import type {KnownAfterApply} from '../prepare/rendering/known-after-apply.ts'
import {helmActions, type Rendered} from '../prepare/rendering/render.ts'
import {type ReleaseId, releaseName} from '../release.ts'
import {diffText} from '../report/plan/diff-text.ts'
import {planDocument} from '../report/plan/plan-json.ts'
import {knownAfterApplyText, planText} from '../report/plan/plan-text.ts'
import {cacheDirectory} from '../state/directories.ts'
import {expectWritable, writeNamedFile} from '../state/files/write-named-file.ts'
import {savedPlan} from '../verbs/change/apply.ts'
import {type HookData, hookData, hookDataLines} from '../verbs/change/hook-data.ts'
import {planDiff} from '../verbs/diff.ts'
import {
  askedRenders,
  askedToAccept,
  expectSupported,
  renderPlan,
  uncheckedNotes,
  unknownYet,
} from '../verbs/foresee.ts'
import {type ObservedPlan, observedPlan} from '../verbs/plan.ts'
import {expectStated} from '../verbs/secrets/living-secrets.ts'

export default class Plan extends KkCommand {
  static override summary = 'Show what a deploy would do, and why; change nothing.'
  static override description =
    'With releases named, the plan of "kk upgrade" for those. What would be installed or upgraded is rendered: what a deploy refuses for its values, its charts or its versions, the plan refuses, too, with the same exit code; so does what the API server would not accept, or would not let helm write. Of an environment with kk.infer: false, new releases are rendered with --diff and --save alone. Exits 0; with --detailed-exitcode 4 when there is something to do.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    '<%= config.bin %> plan environments/all-in-one.yaml --sandbox',
    '<%= config.bin %> plan environments/all-in-one.yaml keystone --sandbox --diff',
    '<%= config.bin %> plan environments/all-in-one.yaml --sandbox --output json --detailed-exitcode',
    {
      description: 'To be looked at, approved, and then done exactly so.',
      command: '<%= config.bin %> plan environments/all-in-one.yaml --sandbox --save plan.json',
    },
  ]
  static override strict = false
  static override args = releasesArgument
  static override flags = {
    ...environmentFlags,
    ...valueFlags,
    ...adoptStoreFlags,
    diff: Flags.boolean({
      summary: 'Show the difference of the manifests, with secret values masked.',
      exclusive: ['output'],
    }),
    save: Flags.string({
      summary: 'Save the plan, for kk apply; the file holds no values.',
      helpValue: 'FILE',
    }),
    secrets: Flags.boolean({summary: 'Name the passwords and keys that would be made; never their values.'}),
    'detailed-exitcode': Flags.boolean({summary: 'Exit 4 when there is something to do.'}),
    ...versionFlags,
    ...lockFlags,
    ...conflictFlags,
    ...documentFlags,
    ...clusterFlags,
    ...helmFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Plan)
    if (flags.save !== undefined) {
      expectPlanName(flags.save)
      await expectWritable(flags.save)
    }
    const opened = await openOnCluster(flags, argv as string[])
    await using cluster = opened.cluster
    const prepared = (await openSecrets(opened.prepared, flags, cluster)).planned
    await heedLock(prepared, flags, this.console)
    const scope = {names: opened.releases, install: opened.releases.length === 0}
    const observed = await observedPlan(prepared, cluster, {...scope, showForeign: true, showMissing: true})
    const planned = observed.plan
    const show = ({later = [], data = [], notes = []}: Partial<ShownBeside> = {}) =>
      this.console.document(flags.output, planDocument(withNotes(planned, notes), later, data), (palette) =>
        planText(planned, palette, {namesSecrets: flags.secrets}),
      )
    // A document is one: the plan, or why it would be refused.
    if (flags.output === 'text') show()
    expectStated(observed.living)
    const {rendered, isAsked, notes} = await this.foresee(flags, {prepared, observed, cluster})
    const later = await unknownYet(prepared, planned, {rendered, cluster})
    const replaced = replacedIn(rendered, observed.previous)
    const data = await hookData(cluster, planned, {objectsOf: rendered, replaced})
    if (flags.output !== 'text') show({later, data, notes})
    else {
      for (const note of notes) this.console.say(`note: ${note}`)
      if (later.length > 0) this.console.say(`\n${knownAfterApplyText(later)}`)
    }
    for (const line of hookDataLines(data)) this.console.say(line)
    if (flags.save !== undefined) {
      if (!isAsked)
        this.console.say('you may not ask the API server whether it would accept the objects: kk apply does')
      await savePlan(flags.save, {prepared, observed, scope, values: flags.values ?? []})
      const force = FORCES.filter((name) => flags[name]).map((name) => ` --${name}`)
      const sets = (['set', 'set-string'] as const).filter((name) => flags[name]).map((name) => `--${name}`)
      const again = sets.length === 0 ? '' : `, and the same ${sets.join(' and ')} again`
      this.console.say(
        `\nsaved; do exactly this with: kk apply ${placeOf(flags.save, flags)}${force.join('')}${again}`,
      )
    }
    if (flags['detailed-exitcode'] && hasChanges(planned)) process.exitCode = 4
  }

  /** Renders what would be made, and throws what speaks against it; no helm is started where helm has nothing to do. */
  private async foresee(flags: PlanFlags, {prepared, observed, cluster}: Foresight): Promise<Foreseen> {
    const isIdle = helmActions(observed.plan).length === 0
    const helm = isIdle ? undefined : await openUsersHelm(flags, cluster)
    const asked = askedRenders(prepared, {cache: cacheDirectory(process.env), cluster: observed.plan.cluster})
    const ports = {cluster, ...(!flags.diff && flags.save === undefined && {ifUnknown: asked})}
    const rendered = helm ? await renderPlan(prepared, observed.plan, {helm, ...ports}) : new Map()
    if (flags.diff) {
      const {diffs, redact} = planDiff(prepared, observed, rendered)
      this.console.print(`\n${diffText(diffs, {palette: this.console.palette('stdout'), redact})}`)
    }
    if (!helm) return {rendered, isAsked: true, notes: []}
    const {'force-version': forceVersion, 'force-conflicts': forceConflicts = false} = flags
    await expectSupported({observed, rendered, ports: {cluster, helm}, forceVersion})
    const {foreknown} = prepared
    const {plan, previous} = observed
    const notes = [
      ...(await checkBefore(deployChange({prepared, plan, rendered, previous, cluster}))),
      ...uncheckedNotes(prepared, plan, rendered),
    ]
    const preflight = {...observed, helm, forceConflicts, foreknown, mask: preparedMask(prepared)}
    const isAsked = await askedToAccept(rendered, cluster, preflight)
    if (notes.length === 0) await asked.keep(plan, rendered)
    return {rendered, isAsked, notes}
  }
}

/** What a plan is shown with, besides its actions. */
interface ShownBeside {
  readonly later: readonly KnownAfterApply[]
  readonly data: readonly HookData[]
  readonly notes: readonly string[]
}

const FORCES = ['force-version', 'force-conflicts'] as const

interface Foreseen {
  readonly rendered: Rendered
  /** True when the API server could be asked. */
  readonly isAsked: boolean
  /** What the checks before the first change have noted. */
  readonly notes: readonly string[]
}

type PlanFlags = FlagValues<typeof Plan.flags>

interface Foresight {
  readonly prepared: Prepared
  readonly observed: ObservedPlan
  readonly cluster: Cluster
}

/** Throws `KK_USAGE` for a name by which `kk apply` would not tell the plan from an environment file. */
function expectPlanName(file: string): void {
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
async function savePlan(file: string, {prepared, observed, scope, values}: SaveOptions): Promise<void> {
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
