import {type ExitCode, KkError} from '../../errors.ts'
import type {ReleaseRemoval} from '../../plan/removal/objects.ts'
import {palette} from '../../report/colour.ts'
import {documentText} from '../../report/document.ts'
import {leftText, removalDocument} from '../../report/plan/removal-text.ts'
import {runDocument} from '../../report/run/run-json.ts'
import {usesReader} from '../../verbs/preparation/uses-reader.ts'
import type {PlannedRemoval} from '../../verbs/removal/planned.ts'
import {canAsk, confirm} from '../confirm/confirm.ts'
import {planInTurn} from '../open/plan-in-turn.ts'
import {openChosenCluster, openEnvironment, openUsersHelm} from '../open.ts'
import {openReportFiles, reportNothingDone} from '../show/report-files.ts'
import {placeOf, showRun} from '../show/show-run.ts'
import {levelOf} from '../show/streams.ts'
import {tell} from '../show/tell.ts'
import {confirmRemoval, missingConfirmations} from './confirm-removal.ts'
import {deleteLeft} from './delete-left.ts'
import type {RemovalCommand, RemovalFlags} from './removal-command.ts'
import {showPlanned} from './show-planned.ts'

/** Plans, shows what goes and what stays, asks, removes and reports: what all verbs that remove releases have in common. */
export async function removeReleases(command: RemovalCommand): Promise<ExitCode> {
  const {flags, argv, words, verb} = command
  const reports = await openReportFiles(flags.report)
  const {environment, releases: names} = await openEnvironment(flags, argv)
  const cluster = await openChosenCluster(flags, environment, {start: false, say: () => undefined})
  try {
    const excused = new Set(flags['ignore-record'] ?? [])
    const context = {environment, cluster, excused, readUses: usesReader(cluster, excused)}
    const turn = {environment: environment.name, flags}
    const planned = await planInTurn(cluster, turn, () => command.plan(context, names))
    const isGone = planned.plan.actions.length === 0
    const isNothing = isGone && !(flags['delete-data'] && planned.leftClaims.length > 0)
    const missing =
      flags['dry-run'] && !isNothing ? await missingConfirmations(command, planned, context) : []
    showPlanned(planned, {flags, words, missing})
    if (flags['dry-run']) return missing[0]?.exit ?? 0
    if (isNothing) {
      printNothingDone(planned, flags)
      return await reportNothingDone(planned.plan, reports, words)
    }
    const {isConfirmed, claims} = await confirmRemoval(command, planned, context)
    if (!flags.yes && !isConfirmed) await askOrRefuse(`${verb} these releases from ${cluster.context}?`)
    const leftClaims = planned.leftClaims.filter((claim) => claims.includes(claim))
    await deleteLeft(leftClaims, {cluster, verb, flags})
    if (isGone) {
      printNothingDone(planned, flags)
      return await reportNothingDone(planned.plan, reports, words)
    }

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
    tell('stderr', leftText(left, palette(levelOf('stderr', words))))
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
