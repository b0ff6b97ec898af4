import {Flags} from '@oclif/core'
import type {ExitCode} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {type Console, requireConfirmation} from '../cli/console.ts'
import {clusterFlags, environmentFlags, helmFlags, ownerFlags, releasesArgument} from '../cli/flags.ts'
import {openChosenCluster, openUsersHelm} from '../cli/open/cluster.ts'
import {prepareIfUsable} from '../cli/open/open.ts'
import {type Owner, openOwner} from '../cli/open/owner.ts'
import {changeFlags, type RunFlags, streamFlags} from '../cli/run/flags.ts'
import {targetArguments} from '../cli/run/repeat-command.ts'
import {notOperatedCheck, printResult, runChoices, showPlan, showRun} from '../cli/run/run.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import type {Palette} from '../report/colour.ts'
import {driftText} from '../report/drift/drift-text.ts'
import {pruneText} from '../report/drift/prune-text.ts'
import type {RunState} from '../run/run-state.ts'
import {hasDrift} from '../verbs/observation/drift.ts'
import {drift} from '../verbs/observation/drift-of.ts'
import {effectivePrunings, type PlannedPruning, planPrune} from '../verbs/removal/prune.ts'

export default class Drift extends KkCommand {
  static override summary = 'Show where objects on the cluster differ from the manifests of their releases.'
  static override description =
    'Applies each object of the last deployed revision in a server-side dry run and shows what would change. Fields that controllers write are ignored, and secrets are masked. Also shows fields with another manager, changed files in crds/, and objects that failed revisions left behind. --prune deletes these objects after a confirmation; without a terminal, --yes is required. Each pruning is recorded in kk history.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    'kk drift environments/all-in-one.yaml --sandbox',
    'Show what failed revisions left behind, and what can be deleted.\nkk drift environments/all-in-one.yaml --sandbox --prune --dry-run',
    'kk drift keystone --owner all-in-one --sandbox --output json --detailed-exitcode',
  ]
  static override args = releasesArgument
  static override flags = {
    ...environmentFlags,
    ...ownerFlags,
    'detailed-exitcode': Flags.boolean({summary: 'Exit 4 if something drifted.'}),
    prune: Flags.boolean({
      summary:
        'Delete objects that only a failed revision created and helm no longer tracks; never PersistentVolumeClaims.',
      exclusive: ['detailed-exitcode'],
    }),
    yes: {...changeFlags.yes, dependsOn: ['prune']},
    'dry-run': {
      ...changeFlags['dry-run'],
      summary: 'With --prune: show what would be deleted, and change nothing.',
      dependsOn: ['prune'],
    },
    'no-wait': {...changeFlags['no-wait'], dependsOn: ['prune']},
    message: {...changeFlags.message, dependsOn: ['prune']},
    ...streamFlags,
    ...clusterFlags,
    ...helmFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Drift)
    const owner = await openOwner(flags, argv as string[])
    const prepared = flags.prune
      ? undefined
      : await prepareIfUsable(owner.environment, flags, this.console.say)
    await using cluster = await openChosenCluster(flags, owner.environment)
    if (flags.prune) {
      process.exitCode = await pruneLeftovers(cluster, {owner, flags, console: this.console})
      return
    }
    const drifts = await drift(cluster, {...driftRequest(owner), prepared})
    const document = {environment: owner.name ?? null, releases: drifts}
    this.console.document(flags.output, document, (palette) => driftText(drifts, palette))
    if (drifts.some(({problem}) => problem !== undefined)) process.exitCode = 1
    else if (flags['detailed-exitcode'] && drifts.some(hasDrift)) process.exitCode = 4
  }
}

function driftRequest({words, name, environment}: Owner) {
  return {names: words, owner: name, environment}
}

interface Pruner {
  readonly owner: Owner
  readonly flags: RunFlags
  readonly console: Console
}

/** Shows what failed revisions left behind, asks for confirmation, and deletes what can be deleted. */
async function pruneLeftovers(cluster: Cluster, {owner, flags, console}: Pruner): Promise<ExitCode> {
  const context = {flags, console, reports: undefined}
  const planned = await planPrune(cluster, driftRequest(owner))
  const {plan, prunings} = planned
  const view = {
    document: pruneDocument(planned),
    isIdle: plan.actions.length === 0,
    isAlwaysSaid: true,
    isAnswer: true,
    ...notOperatedCheck(cluster.leases, plan),
  }
  const text = (palette: Palette) => pruneText(prunings, palette)
  const exit = await showPlan(plan, context, {...view, text})
  if (exit !== undefined) return exit
  if (!flags.yes) {
    const question = `delete these objects on ${cluster.context}?`
    await requireConfirmation(question, 'check the list above, then pass --yes')
  }
  const ports = {cluster, helm: await openUsersHelm(flags, cluster)}
  const choices = runChoices(flags, {verb: 'drift', scope: {names: owner.words, install: false}})
  const place = targetArguments(owner.environment?.file ?? `--owner ${plan.environment}`, flags)
  const retryCommand = ['kk drift --prune', ...owner.words, place].join(' ')
  const commands = {retryCommand, status: `kk drift ${place}`}
  const run = await showRun(planned.run({...choices, ports}), {...context, choices, commands})
  printResult(pruneDocument(planned, run.state), context)
  return run.exit
}

/** Returns the leftovers, and which of them were deleted; `run` is null if no run was started. */
function pruneDocument({plan, prunings}: PlannedPruning, state?: RunState): object {
  const deleted = effectivePrunings(prunings).flatMap(({release, leftovers}) => {
    const names = new Set(state?.releases.get(release)?.deleted)
    const deleted = leftovers.filter(({kind, name}) => names.has(`${kind}/${name}`))
    return state ? [{release, leftovers: deleted}] : []
  })
  return {environment: plan.environment, run: state?.run ?? null, releases: prunings, deleted}
}
