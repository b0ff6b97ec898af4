import type {Cluster} from '../../cluster/cluster.ts'
import type {ExitCode} from '../../errors.ts'
import {documentText} from '../../report/document.ts'
import {pruneText} from '../../report/drift/prune-text.ts'
import type {RunState} from '../../run/run-state.ts'
import {goingOf, type PlannedPruning, planPrune} from '../../verbs/removal/prune.ts'
import {type Console, requireConfirmation} from '../console.ts'
import {openUsersHelm} from '../open/cluster.ts'
import type {Owner} from '../open/owner.ts'
import {placeOf, showRun} from './run.ts'

interface PruneFlags {
  readonly output: 'text' | 'json' | 'yaml' | 'ndjson'
  readonly yes: boolean
  readonly 'dry-run': boolean
  readonly 'no-wait': boolean
  readonly message?: string | undefined
  readonly helm?: string | undefined
  readonly sandbox?: boolean | undefined
  readonly 'sandbox-name'?: string | undefined
  readonly kubeconfig?: string | undefined
  readonly context?: string | undefined
}

interface Pruner {
  readonly cluster: Cluster
  readonly owner: Owner
  readonly flags: PruneFlags
  readonly console: Console
}

/** Shows what failed revisions have left behind, asks, and deletes what may go. */
export async function pruneLeftovers(pruner: Pruner): Promise<ExitCode> {
  const {cluster, owner, flags, console} = pruner
  const request = {names: owner.words, owner: owner.name, environment: owner.environment}
  const planned = await planPrune(cluster, request)
  const isDry = flags['dry-run']
  const stream = isDry && flags.output === 'text' ? 'stdout' : 'stderr'
  process[stream].write(pruneText(planned.prunings, console.palette(stream)))
  if (isDry || planned.plan.actions.length === 0) {
    print(planned, undefined, flags.output)
    return 0
  }
  if (!flags.yes) {
    const question = `delete these objects on ${cluster.context}?`
    await requireConfirmation(question, 'look at the list above, then pass --yes')
  }
  const {state, exit} = await run(planned, pruner)
  if (flags.output !== 'ndjson') print(planned, state, flags.output)
  return exit
}

async function run(planned: PlannedPruning, {cluster, owner, flags, console}: Pruner) {
  const {environment} = planned.plan
  const place = placeOf(owner.environment?.file ?? `--owner ${environment}`, flags)
  const ports = {cluster, helm: await openUsersHelm(flags, cluster)}
  return showRun(
    (interruption) =>
      planned.run({
        ports,
        concurrency: undefined,
        failFast: false,
        noWait: flags['no-wait'],
        interruption,
        account: {verb: 'drift', scope: {names: owner.words, install: false}, message: flags.message},
      }),
    {
      output: flags.output,
      console,
      commands: {
        again: ['kk drift --prune', ...owner.words, place].join(' '),
        status: `kk drift ${place}`,
      },
    },
  )
}

/** What was found, and what of it was deleted; a run that was not begun has no id. */
function print(
  {plan, prunings}: PlannedPruning,
  state: RunState | undefined,
  output: PruneFlags['output'],
): void {
  if (output === 'text') return
  const deleted = goingOf(prunings).flatMap(({release, leftovers}) => {
    const names = new Set(state?.releases.get(release)?.deleted)
    const gone = leftovers.filter(({kind, name}) => names.has(`${kind}/${name}`))
    return state ? [{release, leftovers: gone}] : []
  })
  const document = {environment: plan.environment, run: state?.run ?? null, releases: prunings, deleted}
  process.stdout.write(output === 'ndjson' ? `${JSON.stringify(document)}\n` : documentText(document, output))
}
