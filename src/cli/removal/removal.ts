import {type ExitCode, KkError} from '../../errors.ts'
import type {ReleaseRemoval} from '../../plan/removal/objects.ts'
import {palette} from '../../report/colour.ts'
import {documentText} from '../../report/document.ts'
import {planDocument} from '../../report/plan/plan-json.ts'
import {planText} from '../../report/plan/plan-text.ts'
import {leftText, removalDocument, removalText} from '../../report/plan/removal-text.ts'
import {runDocument} from '../../report/run/run-json.ts'
import {expectLetGo} from '../../verbs/removal/guarded.ts'
import type {PlannedRemoval, RemovalContext} from '../../verbs/removal/planned.ts'
import {usesReader} from '../../verbs/removal/uses-reader.ts'
import {canAsk, confirm} from '../confirm/confirm.ts'
import {awaitOrphansOf} from '../open/await-orphans-of.ts'
import {openChosenCluster, openEnvironment, openUsersHelm} from '../open.ts'
import {openReportFiles, reportNothingDone} from '../show/report-files.ts'
import {placeOf, showRun} from '../show/show-run.ts'
import {levelOf} from '../show/streams.ts'
import {chosenClaims} from './claims.ts'

export interface RemovalFlags {
  readonly output: 'text' | 'json' | 'yaml' | 'ndjson'
  readonly yes: boolean
  readonly 'dry-run': boolean
  readonly concurrency?: number | undefined
  readonly 'fail-fast': boolean
  readonly 'no-wait': boolean
  readonly message?: string | undefined
  readonly helm?: string | undefined
  readonly environment?: string | undefined
  readonly sandbox?: boolean | undefined
  readonly 'sandbox-name'?: string | undefined
  readonly 'delete-data': boolean
  readonly 'confirm-data'?: readonly string[] | undefined
  readonly 'ignore-record'?: readonly string[] | undefined
  readonly confirm?: readonly string[] | undefined
  readonly 'with-dependents'?: boolean | undefined
  /** `KIND=FILE` each. */
  readonly report?: readonly string[] | undefined
}

export interface RemovalCommand {
  readonly verb: string
  readonly flags: RemovalFlags
  /** Arguments: the environment file and releases. */
  readonly argv: readonly string[]
  /** Words of the command line, for colour. */
  readonly words: readonly string[]
  readonly plan: (context: RemovalContext, names: readonly string[]) => Promise<PlannedRemoval>
  /** Confirms what is to be confirmed by name; throws `KK_UNCONFIRMED`. True when nothing more need be asked. */
  readonly confirm: (planned: PlannedRemoval, context: RemovalContext) => Promise<boolean>
}

/** Plans, shows what goes and what stays, asks, removes and reports: what all verbs that remove releases have in common. */
export async function removeReleases(command: RemovalCommand): Promise<ExitCode> {
  const {flags, argv, words, verb} = command
  const reports = await openReportFiles(flags.report)
  const {environment, releases: names} = await openEnvironment(flags, argv)
  const cluster = await openChosenCluster(flags, environment, {start: false, say: () => undefined})
  try {
    const excused = new Set(flags['ignore-record'] ?? [])
    const context = {environment, cluster, excused, readUses: usesReader(cluster, excused)}
    if (!flags['dry-run'] && !flags['no-wait']) await awaitOrphansOf(cluster, environment.name)
    const planned = await command.plan(context, names)
    show(planned, flags, words)
    if (flags['dry-run']) return 0
    if (planned.plan.actions.length === 0) {
      printNothingDone(planned, flags)
      return await reportNothingDone(planned.plan, reports, words)
    }
    const isConfirmed = await command.confirm(planned, context)
    await expectLetGo(
      cluster,
      planned.plan.actions.map(({release}) => release),
      Date.now(),
    )
    const claims = await chosenClaims(planned, {
      isWanted: flags['delete-data'],
      confirmed: flags['confirm-data'] ?? [],
    })
    if (!flags.yes && !isConfirmed) await askOrRefuse(`${verb} these releases from ${cluster.context}?`)

    const helm = await openUsersHelm(flags, cluster)
    const left: ReleaseRemoval[] = []
    const {concurrency, 'fail-fast': failFast, 'no-wait': noWait, message} = flags
    const account = {verb, scope: {names, install: false}, message}
    const place = placeOf(environment.file, flags)
    const again = ['kk', verb, ...names, place, ...confirmedAgain(flags)].join(' ')
    const {state, exit} = await showRun(
      (interruption) =>
        planned.run({
          ports: {cluster, helm},
          claims,
          concurrency,
          failFast,
          noWait,
          interruption,
          account,
          onStays: (stays) => left.push(stays),
        }),
      {output: flags.output, words, commands: {again, status: `kk status ${place}`}, reports},
    )
    process.stderr.write(leftText(left, palette(levelOf('stderr', words))))
    if (flags.output === 'json' || flags.output === 'yaml')
      process.stdout.write(documentText({...runDocument(state), left: removalDocument(left)}, flags.output))
    return exit
  } finally {
    await cluster.close()
  }
}

/** What was wanted and confirmed, for who repeats the command. */
function confirmedAgain(flags: RemovalFlags): readonly string[] {
  return [
    ...(flags['with-dependents'] ? ['--with-dependents'] : []),
    ...(flags.confirm ?? []).map((name) => `--confirm ${name}`),
    ...(flags['delete-data'] ? ['--delete-data'] : []),
    ...(flags['confirm-data'] ?? []).map((name) => `--confirm-data ${name}`),
  ]
}

/** The plan goes where its reader looks: to standard output only when it is all that was asked for. */
function show({plan, releases, absent}: PlannedRemoval, flags: RemovalFlags, words: readonly string[]): void {
  const {output, 'dry-run': isDry} = flags
  const stream = isDry && output === 'text' ? 'stdout' : 'stderr'
  const colours = palette(levelOf(stream, words))
  const absence = absent.map((name) => `${name} is not installed: nothing to remove\n`)
  const text = [planText(plan, colours), removalText(releases, colours), ...absence]
  process[stream].write(text.filter((part) => part !== '').join('\n'))
  if (!isDry) return
  const document = {...planDocument(plan), removal: removalDocument(releases), absent}
  if (output === 'ndjson') process.stdout.write(`${JSON.stringify(document)}\n`)
  if (output === 'json' || output === 'yaml') process.stdout.write(documentText(document, output))
}

/** A removal that had nothing to do has the same form as one that had. */
function printNothingDone({plan}: PlannedRemoval, {output}: RemovalFlags): void {
  if (output !== 'json' && output !== 'yaml') return
  const {environment, cluster} = plan
  const nothing = {run: null, environment, context: cluster.context, releases: []}
  process.stdout.write(documentText({...nothing, left: removalDocument([])}, output))
}

async function askOrRefuse(question: string): Promise<void> {
  if (canAsk()) return confirm(question)
  throw new KkError('KK_UNCONFIRMED', 'nothing was confirmed, and there is no terminal to ask on', {
    hint: 'look at the two lists above, then pass --yes; nothing was changed',
  })
}
