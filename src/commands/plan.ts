import {dirname, relative, resolve} from 'node:path'
import {Flags} from '@oclif/core'
import {KkError} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {writeView} from '../cli/console.ts'
import {adoptStoreFlags, documentFlags, lockFlags, releasesArgument, renderFlags} from '../cli/flags.ts'
import {enforceLock} from '../cli/open/charts.ts'
import {openUsersHelm} from '../cli/open/cluster.ts'
import {openOnCluster} from '../cli/open/open.ts'
import {openSecrets} from '../cli/open/secrets.ts'
import {conflictFlags, forecastFlags, versionFlags} from '../cli/run/flags.ts'
import {targetArguments} from '../cli/run/repeat-command.ts'
import {startCondition} from '../cli/run/start-condition.ts'
import {upgradeChecks} from '../cli/run/upgrade-checks.ts'
import {VERSION} from '../cli/version.ts'
import {splitArguments} from '../environment/choose.ts'
import {parseValuesFlag} from '../overrides/release-flags.ts'
import {hasChanges, withNotes} from '../plan/plan.ts'
import {savedPlanText} from '../plan/saved/read-saved-plan.ts'
import type {SavedPath} from '../plan/saved/saved-plan.ts'
import type {PlanScope} from '../plan/scope.ts'
import {helmActions, type Rendered} from '../prepare/rendering/render.ts'
import {type ReleaseId, releaseName} from '../release.ts'
import {diffText} from '../report/plan/diff-text.ts'
import {forecastText} from '../report/plan/forecast-text.ts'
import {planDocument} from '../report/plan/plan-json.ts'
import {knownAfterApplyText, planText} from '../report/plan/plan-text.ts'
import {cacheDirectory} from '../state/directories.ts'
import {expectWritable, writeNamedFile} from '../state/files/write-named-file.ts'
import {savedPlan} from '../verbs/change/apply.ts'
import {readPastRuns} from '../verbs/change/forecast-change.ts'
import {hookDataLines} from '../verbs/change/hook-data.ts'
import {type PlannedChange, planChange} from '../verbs/change/planned-change.ts'
import {planDiff} from '../verbs/diff.ts'
import {type ChangePreview, previewChange} from '../verbs/preview.ts'

export default class Plan extends KkCommand {
  static override summary = 'Show what a deploy would do, and why; changes nothing.'
  static override description =
    'With release names, shows the plan of "kk upgrade" for these releases. Renders what would be installed or upgraded, and fails with the same exit code as a deploy if values, charts or versions are refused, or if the API server would not accept an object or not allow helm to write it. In an environment with kk.infer: false, new releases are rendered only with --diff or --save. Exits 0; with --detailed-exitcode, exits 4 if there is something to do.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    'kk plan environments/all-in-one.yaml --sandbox',
    'kk plan environments/all-in-one.yaml keystone --sandbox --diff',
    'kk plan environments/all-in-one.yaml --sandbox --output json --detailed-exitcode',
    'Save the plan for review, approval and kk apply.\nkk plan environments/all-in-one.yaml --sandbox --save plan.json',
  ]
  static override args = releasesArgument
  static override flags = {
    ...renderFlags,
    ...adoptStoreFlags,
    diff: Flags.boolean({
      summary: 'Show the diff of the manifests, with secret values masked.',
      exclusive: ['output'],
    }),
    save: Flags.string({
      summary: 'Save the plan for kk apply; the file contains no values.',
      helpValue: 'FILE',
    }),
    secrets: Flags.boolean({
      summary: 'List the passwords and keys that would be generated, without their values.',
    }),
    'detailed-exitcode': Flags.boolean({summary: 'Exit 4 if there is something to do.'}),
    impact: Flags.boolean({
      summary: 'Show how long each action takes, and what users and instances notice.',
    }),
    'upgrade-checks': Flags.boolean({
      summary:
        'Also ask the services whether they are healthy, and their new images whether they can replace the old ones, in a pod for each, as the upgrade does.',
    }),
    history: {...forecastFlags.history, dependsOn: ['impact']},
    ...versionFlags,
    ...lockFlags,
    ...conflictFlags,
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Plan)
    if (flags.save !== undefined) {
      expectPlanName(flags.save)
      await expectWritable(flags.save)
    }
    const opened = await openOnCluster(flags, argv as string[])
    await using cluster = opened.cluster
    const supplied = await openSecrets(opened.prepared, flags, cluster)
    await enforceLock(supplied.planned, flags, this.console)
    const scope = {names: opened.releases, install: opened.releases.length === 0}
    const shown = {...scope, showForeign: true, showMissing: true}
    const planned = await planChange(supplied, cluster, {scope: shown, waits: false, say: this.console.say})
    const {plan} = planned
    const show = ({later = [], data = [], notes = [], forecast}: Partial<ChangePreview> = {}) => {
      // Without the flag, what was rendered before is not rendered again.
      const foreseen = {...withNotes(plan, notes), ...(flags.impact && forecast && {forecast})}
      this.console.document(flags.output, planDocument(foreseen, later, data), (palette) =>
        planText(plan, palette, {namesSecrets: flags.secrets}),
      )
    }
    // JSON and YAML output is one document: the plan, or the error.
    if (flags.output === 'text') show()
    planned.expectStated()
    const {isChecked, ...preview} = await previewChange(planned, {
      cluster,
      // helm is not started if it has nothing to do.
      helm: helmActions(plan).length === 0 ? undefined : await openUsersHelm(flags, cluster),
      cache: cacheDirectory(process.env),
      rendersCached: flags.diff || flags.impact || flags.save !== undefined || flags['upgrade-checks'],
      forceVersion: flags['force-version'],
      forceConflicts: flags['force-conflicts'],
      pastRuns: flags.impact ? await readPastRuns(flags.history) : undefined,
      moreChecks: flags['upgrade-checks'] ? await upgradeChecks(cluster, this.console) : [],
      onRendered: (rendered) => flags.diff && this.showDiff(planned, rendered),
    })
    const {later, data, notes} = preview
    if (flags.output !== 'text') show(preview)
    else {
      for (const note of notes) this.console.say(`note: ${note}`)
      if (flags.impact) this.showImpact({...plan, forecast: preview.forecast}, opened.releases)
      if (later.length > 0) this.console.say(`\n${knownAfterApplyText(later)}`)
    }
    for (const line of hookDataLines(data)) this.console.say(line)
    if (flags.save !== undefined) {
      if (!isChecked)
        this.console.say('no permission for a server-side dry run of the objects: kk apply runs it')
      await savePlan(flags.save, planned, {scope, values: flags.values ?? []})
      const force = FORCES.filter((name) => flags[name]).map((name) => ` --${name}`)
      const sets = (['set', 'set-string'] as const).filter((name) => flags[name]).map((name) => `--${name}`)
      const sameSets = sets.length === 0 ? '' : `, and the same ${sets.join(' and ')} again`
      this.console.say(
        `\nsaved; carry it out with: kk apply ${targetArguments(flags.save, flags)}${force.join('')}${sameSets}`,
      )
    }
    if (flags['detailed-exitcode'] && hasChanges(plan)) process.exitCode = 4
  }

  /** Named releases are upgraded one after the other, as without other flags. */
  private showImpact(plan: Parameters<typeof forecastText>[0], named: readonly string[]): void {
    const verb = named.length > 0 ? 'upgrade' : 'deploy'
    const starting = startCondition(verb, undefined)
    const text = forecastText(plan, this.console.palette('stdout'), {...starting, isRequested: true})
    writeView('stdout', ['', ...(text.length > 0 ? text : ['no release would get a new revision'])])
  }

  private showDiff(planned: PlannedChange, rendered: Rendered): void {
    const {diffs, redact} = planDiff(planned, rendered)
    this.console.print(`\n${diffText(diffs, {palette: this.console.palette('stdout'), redact})}`)
  }
}

const FORCES = ['force-version', 'force-conflicts'] as const

/** Throws `KK_USAGE` for a name that `kk apply` would take for an environment file. */
function expectPlanName(file: string): void {
  if (splitArguments([file]).file === undefined) return
  throw new KkError('KK_USAGE', `--save ${file}: this is the name of an environment file`, {
    hint: 'use another extension, for example: --save plan.json',
  })
}

interface SaveOptions {
  readonly scope: PlanScope
  /** As passed with `--values`. */
  readonly values: readonly string[]
}

/**
 * Writes a plan to a file that only its owner can read. Throws `KK_FILE`, and `KK_FOREIGN` for a plan that
 * `kk apply` would refuse.
 */
async function savePlan(file: string, planned: PlannedChange, {scope, values}: SaveOptions): Promise<void> {
  const {plan} = planned
  const toAdopt = plan.bystanders.filter(({state}) => state === 'to-adopt')
  if (toAdopt.length > 0) throw unadopted(toAdopt.map(({release}) => release))
  const place = (path: string): SavedPath => {
    const absolute = path === '-' ? path : resolve(path)
    return {file: path, absolute, relative: path === '-' ? path : relative(dirname(resolve(file)), absolute)}
  }
  const text = savedPlanText(
    savedPlan(planned, {
      kk: VERSION,
      savedAt: new Date().toISOString(),
      scope,
      values: values.map(parseValuesFlag).map((flag) => ({release: flag.release, ...place(flag.file)})),
      path: place(plan.file),
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
