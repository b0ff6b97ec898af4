import type {Cluster} from '../../cluster/cluster.ts'
import {splitArguments} from '../../environment/choose.ts'
import {type ExitCode, KkError} from '../../errors.ts'
import {releaseName} from '../../release.ts'
import {adoptionDocument, adoptionText} from '../../report/adoption-text.ts'
import {documentText} from '../../report/document.ts'
import {runDocument} from '../../report/run/run-json.ts'
import {type PlannedAdoption, planAdoption} from '../../verbs/change/adopt.ts'
import {type Console, requireConfirmation, tell} from '../console.ts'
import {openUsersHelm} from '../open/cluster.ts'
import {openOnCluster} from '../open/open.ts'
import {openSecrets} from '../open/secrets.ts'
import type {ChangeFlags} from './change.ts'
import {placeOf, showRun} from './run.ts'

export type AdoptFlags = Pick<
  ChangeFlags,
  | 'output'
  | 'yes'
  | 'dry-run'
  | 'no-wait'
  | 'message'
  | 'values'
  | 'set'
  | 'helm'
  | 'environment'
  | 'sandbox'
  | 'sandbox-name'
> & {readonly owner?: string | undefined}

/** Shows what an upgrade would make of releases that kk did not install, asks, and takes them over. */
export async function adoptReleases(
  flags: AdoptFlags,
  argv: readonly string[],
  console: Console,
): Promise<ExitCode> {
  const {owner: from} = flags
  if (from === undefined && splitArguments(argv).releases.length === 0) throw noRelease()
  const opened = await openOnCluster(flags, argv, {start: false, say: () => undefined})
  const {releases, cluster} = opened
  try {
    if (from === opened.prepared.environment.name) throw sameOwner(from)
    const prepared = (await openSecrets(opened.prepared, flags, cluster)).planned
    const helm = await openUsersHelm(flags, cluster)
    const planned = await planAdoption(prepared, releases, {cluster, helm, from})
    const isDry = flags['dry-run']
    const stream = isDry && flags.output === 'text' ? 'stdout' : 'stderr'
    if (!isDry || flags.output === 'text')
      process[stream].write(adoptionText(planned, console.palette(stream)))
    if (isDry || planned.adoptions.length === 0) {
      print(adoptionDocument(planned), flags.output)
      return 0
    }
    if (!flags.yes) await confirmAdoption(planned, cluster)
    return await runAdoption(planned, {flags, console, file: prepared.environment.file})
  } finally {
    await cluster.close()
  }
}

interface RunContext {
  readonly flags: AdoptFlags
  readonly console: Console
  readonly file: string
}

async function runAdoption(planned: PlannedAdoption, {flags, console, file}: RunContext): Promise<ExitCode> {
  const names = planned.adoptions.map(({release}) => releaseName(release))
  const place = placeOf(file, flags)
  const from = flags.owner === undefined ? '' : ` --owner ${flags.owner}`
  const commands = {again: `kk adopt ${names.join(' ')} ${place}${from}`, status: `kk status ${place}`}
  const account = {verb: 'adopt', scope: {names, install: false}, message: flags.message}
  const noWait = flags['no-wait']
  const {state, exit} = await showRun(
    (interruption) => planned.run({concurrency: undefined, failFast: false, noWait, interruption, account}),
    {output: flags.output, console, commands, reports: undefined},
  )
  if (flags.output !== 'ndjson') print({...adoptionDocument(planned), ...runDocument(state)}, flags.output)
  if (exit === 0) tell('stderr', `next: kk plan ${place}\n`)
  return exit
}

function print(document: object, output: AdoptFlags['output']): void {
  if (output === 'ndjson') process.stdout.write(`${JSON.stringify(document)}\n`)
  if (output === 'json' || output === 'yaml') process.stdout.write(documentText(document, output))
}

function noRelease(): KkError {
  return new KkError('KK_USAGE', 'expected the name of a release that kk did not install', {
    hint: 'kk plan shows them as "to adopt"; for example: kk adopt keystone environments/all-in-one.yaml',
  })
}

function sameOwner(owner: string): KkError {
  return new KkError('KK_USAGE', `--owner ${owner} is the environment of the file itself`, {
    hint: '--owner names the environment that the releases belong to now',
  })
}

async function confirmAdoption({adoptions}: PlannedAdoption, {context}: Cluster): Promise<void> {
  const names = adoptions.map(({release}) => releaseName(release)).join(', ')
  const from = adoptions[0]?.from
  const whose = from === undefined ? '' : ` from the environment "${from}"`
  const hint = 'look at the difference above, then pass --yes'
  return requireConfirmation(`take over ${names}${whose} on ${context}?`, hint)
}
