import {Flags} from '@oclif/core'
import {asKkError, type ExitCode} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {type Console, requireConfirmation} from '../cli/console.ts'
import {
  clusterFlags,
  environmentFlags,
  type HelmFlags,
  helmFlags,
  ownerFlags,
  releasesArgument,
} from '../cli/flags.ts'
import {openChosenCluster, openUsersHelm} from '../cli/open/cluster.ts'
import {prepareEnvironment} from '../cli/open/open.ts'
import {type Owner, openOwner} from '../cli/open/owner.ts'
import {changeFlags, type RunFlags, streamFlags} from '../cli/run/flags.ts'
import {printResult, refusingOperated, runChoices, showPlan, showRun} from '../cli/run/run.ts'
import {placeOf} from '../cli/run/same-again.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import type {Prepared} from '../prepare/prepare.ts'
import type {Palette} from '../report/colour.ts'
import {driftText} from '../report/drift/drift-text.ts'
import {pruneText} from '../report/drift/prune-text.ts'
import type {RunState} from '../run/run-state.ts'
import {hasDrift} from '../verbs/observation/drift.ts'
import {drift} from '../verbs/observation/drift-of.ts'
import {goingOf, type PlannedPruning, planPrune} from '../verbs/removal/prune.ts'

export default class Drift extends KkCommand {
  static override summary = 'Show what on the cluster is not as the manifests of the releases say.'
  static override description =
    'The API server is asked, in a dry run, what an apply of each object of the last deployed revision would change; what controllers write does not count, and secrets are masked. Also shown: fields that somebody else manages, changed files in crds/, and what failed revisions have left behind, which --prune deletes after asking; without a terminal it needs --yes. A pruning leaves a record, which kk history shows.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    'kk drift environments/all-in-one.yaml --sandbox',
    'What only failed revisions made, and what of it may go.\nkk drift environments/all-in-one.yaml --sandbox --prune --dry-run',
    'kk drift keystone --owner all-in-one --sandbox --output json --detailed-exitcode',
  ]
  static override args = releasesArgument
  static override flags = {
    ...environmentFlags,
    ...ownerFlags,
    'detailed-exitcode': Flags.boolean({summary: 'Exit 4 when something drifted.'}),
    prune: Flags.boolean({
      summary: 'Delete objects that only a failed revision made and helm has forgotten; never claims.',
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
    const prepared = flags.prune ? undefined : await chartsOfOwner(owner, flags, this.console.say)
    await using cluster = await openChosenCluster(flags, owner.environment)
    if (flags.prune) {
      process.exitCode = await pruneLeftovers(cluster, {owner, flags, console: this.console})
      return
    }
    const drifts = await drift(cluster, {...requestOf(owner), prepared})
    const document = {environment: owner.name ?? null, releases: drifts}
    this.console.document(flags.output, document, (palette) => driftText(drifts, palette))
    if (drifts.some(({problem}) => problem !== undefined)) process.exitCode = 1
    else if (flags['detailed-exitcode'] && drifts.some(hasDrift)) process.exitCode = 4
  }
}

function requestOf({words, name, environment}: Owner) {
  return {names: words, owner: name, environment}
}

interface Pruner {
  readonly owner: Owner
  readonly flags: RunFlags
  readonly console: Console
}

/** Shows what failed revisions have left behind, asks, and deletes what may go. */
async function pruneLeftovers(cluster: Cluster, {owner, flags, console}: Pruner): Promise<ExitCode> {
  const context = {flags, console, reports: undefined}
  const planned = await planPrune(cluster, requestOf(owner))
  const {plan, prunings} = planned
  const view = {
    document: pruneDocument(planned),
    isIdle: plan.actions.length === 0,
    isAlwaysSaid: true,
    isAnswer: true,
    ...refusingOperated(cluster.leases, plan),
  }
  const text = (palette: Palette) => pruneText(prunings, palette)
  const end = await showPlan(plan, context, {...view, text})
  if (end !== undefined) return end
  if (!flags.yes) {
    const question = `delete these objects on ${cluster.context}?`
    await requireConfirmation(question, 'look at the list above, then pass --yes')
  }
  const ports = {cluster, helm: await openUsersHelm(flags, cluster)}
  const choices = runChoices(flags, {verb: 'drift', scope: {names: owner.words, install: false}})
  const place = placeOf(owner.environment?.file ?? `--owner ${plan.environment}`, flags)
  const again = ['kk drift --prune', ...owner.words, place].join(' ')
  const commands = {again, status: `kk drift ${place}`}
  const {state, exit} = await showRun(planned.run({...choices, ports}), {...context, choices, commands})
  printResult(pruneDocument(planned, state), context)
  return exit
}

/** Returns what was found, and what of it was deleted; a run that was not begun has no id. */
function pruneDocument({plan, prunings}: PlannedPruning, state?: RunState): object {
  const deleted = goingOf(prunings).flatMap(({release, leftovers}) => {
    const names = new Set(state?.releases.get(release)?.deleted)
    const gone = leftovers.filter(({kind, name}) => names.has(`${kind}/${name}`))
    return state ? [{release, leftovers: gone}] : []
  })
  return {environment: plan.environment, run: state?.run ?? null, releases: prunings, deleted}
}

/** Returns the charts, for their `crds/`; undefined without a file, or where they cannot be had, which drift does not need. */
async function chartsOfOwner(
  {environment}: Owner,
  flags: HelmFlags,
  say: (text: string) => void,
): Promise<Prepared | undefined> {
  if (!environment) return undefined
  try {
    return await prepareEnvironment(environment, flags)
  } catch (error) {
    say(`crds/ of the charts are not looked at, only those of the records: ${asKkError(error).message}`)
    return undefined
  }
}
