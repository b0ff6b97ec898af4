import {asKkError, type ExitCode, KkError} from '../../base/errors.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {Claim} from '../../kubernetes/objects/live-objects.ts'
import type {ReleaseRemoval} from '../../plan/removal/objects.ts'
import {usesReader} from '../../prepare/uses-reader.ts'
import type {Palette} from '../../report/colour.ts'
import {errorDocument, errorText} from '../../report/error-text.ts'
import {cleanupDocument, cleanupText, leftElsewhereText} from '../../report/plan/cleanup-text.ts'
import {planDocument} from '../../report/plan/plan-json.ts'
import {planText} from '../../report/plan/plan-text.ts'
import {leftText, removalDocument, removalText} from '../../report/plan/removal-text.ts'
import {runDocument} from '../../report/run/run-json.ts'
import {blocks, type View} from '../../report/text/view.ts'
import {DEFAULT_TIMEOUT_SECONDS} from '../../run/task.ts'
import {whoAmI} from '../../state/processes/who-am-i.ts'
import {expectLetGo} from '../../verbs/removal/guarded.ts'
import {deleteLeftoverClaims, type LeftoverClaim} from '../../verbs/removal/leftover-claims.ts'
import {deleteLeftoverLeases} from '../../verbs/removal/leftover-leases.ts'
import type {PlannedRemoval, RemovalContext} from '../../verbs/removal/planned.ts'
import {type Console, canAsk, confirm, tell} from '../console.ts'
import {openChosenCluster, openUsersHelm} from '../open/cluster.ts'
import {openEnvironment} from '../open/open.ts'
import type {NamedReleases} from './change.ts'
import {chosenClaims} from './confirm-removal.ts'
import type {RemovalFlags} from './flags.ts'
import {openReportFiles} from './report-files.ts'
import {endIdle, planInTurn, printResult, refusingOperated, runChoices, showPlan, showRun} from './run.ts'
import {placeOf, statusCommand} from './same-again.ts'

/** Plans, shows what goes and what stays, asks, removes and reports: what all verbs that remove releases have in common. */
export async function removeReleases(command: RemovalCommand): Promise<ExitCode> {
  const {flags, argv, console, verb} = command
  const context = {flags, console, reports: await openReportFiles(flags.report)}
  const {environment, releases} = await openEnvironment(flags, argv)
  const names = (await command.named?.(releases, environment)) ?? releases
  await using cluster = await openChosenCluster(flags, environment)
  const excused = new Set(flags['ignore-record'] ?? [])
  const {confirm: confirmed = []} = flags
  const subject = {environment, cluster, excused, confirmed, readUses: usesReader(cluster, excused)}
  const turn = {environment: environment.name, flags}
  const planned = await planInTurn(cluster, turn, () => command.plan(subject, names))

  if (!flags['dry-run']) await deleteLeftoverLeases(cluster, environment.name, holderOf(verb))

  const isGone = planned.plan.actions.length === 0
  const isIdle = isGone && !(flags['delete-data'] && planned.leftClaims.length > 0)
  const missing = flags['dry-run'] && !isIdle ? await missingConfirmations(command, planned, subject) : []
  const nothing = {left: removalDocument([])}
  const end = await showPlan(planned.plan, context, {
    text: (palette) => plannedText(planned, flags, palette),
    document: plannedDocument(planned, missing),
    isIdle,
    isAlwaysSaid: true,
    nothing,
    ...(!isGone && refusingOperated(cluster.leases, planned.plan)),
  })
  for (const error of missing) console.say(errorText(error, console.palette('stderr')))
  if (end !== undefined) return missing[0]?.exit ?? end

  const {isConfirmed, claims} = await confirmRemoval(command, planned, subject)
  if (!flags.yes && !isConfirmed) await askOrRefuse(`${verb} these releases from ${cluster.context}?`)
  const leftClaims = planned.leftClaims.filter((claim) => claims.includes(claim))
  await deleteLeft(leftClaims, {cluster, verb, flags})
  if (isGone) return await endIdle(planned.plan, context, nothing)

  const helm = await openUsersHelm(flags, cluster)
  const left: ReleaseRemoval[] = []
  const choices = runChoices(flags, {verb, scope: {names, install: false}})
  const run = planned.run({
    ...choices,
    ports: {cluster, helm},
    claims,
    onStays: (stays) => void left.push(stays),
  })
  const place = placeOf(environment.file, flags)
  const again = ['kk', verb, ...names, place, ...confirmedAgain(flags)].join(' ')
  const commands = {again, status: statusCommand(environment, flags)}
  const {state, exit} = await showRun(run, {...context, choices, commands})
  console.say(leftText(left, console.palette('stderr')))
  const elsewhere = planned.cleanups.filter((each) => left.some(({release}) => release === each.release))
  console.say(leftElsewhereText(elsewhere, console.palette('stderr')))
  printResult(
    {
      ...runDocument(state),
      left: removalDocument(left),
      ...(elsewhere.length > 0 && {elsewhere: cleanupDocument(elsewhere)}),
    },
    context,
  )
  return exit
}

/** Returns the flags that say again what was wanted and confirmed. */
function confirmedAgain(flags: RemovalFlags): readonly string[] {
  return [
    ...(flags['with-dependents'] ? ['--with-dependents'] : []),
    ...(flags.purge ? ['--purge'] : []),
    ...(flags.confirm ?? []).map((name) => `--confirm ${name}`),
    ...(flags['delete-data'] ? ['--delete-data'] : []),
    ...(flags['confirm-data'] ?? []).map((name) => `--confirm-data ${name}`),
  ]
}

async function askOrRefuse(question: string): Promise<void> {
  if (canAsk()) return confirm(question)
  throw new KkError('KK_UNCONFIRMED', 'nothing was confirmed, and there is no terminal to ask on', {
    hint: 'look at the two lists above, then pass --yes; nothing was changed',
  })
}

interface Deleting {
  readonly cluster: Cluster
  /** The command's name. */
  readonly verb: string
  readonly flags: RemovalFlags
}

/** Deletes what a removal that was cut short was to delete, and says so; who holds its release is waited for. */
async function deleteLeft(claims: readonly LeftoverClaim[], {cluster, verb, flags}: Deleting): Promise<void> {
  const say = (line: string) => tell('stderr', `${line}\n`)
  await deleteLeftoverClaims(cluster, claims, {
    holder: holderOf(verb),
    patience: flags['no-wait'] ? 0 : DEFAULT_TIMEOUT_SECONDS * 1000,
    onHeld: (release, by) => say(`${release} is held by ${by}: waiting for it`),
  })
  for (const {namespace, name, run} of claims)
    say(`deleted the claim ${namespace}/${name}, as run ${run} was to do`)
}

function holderOf(verb: string): string {
  return `${whoAmI()} (process ${process.pid}, kk ${verb})`
}

function leftClaimText(claim: LeftoverClaim, flags: Pick<RemovalFlags, 'delete-data'>): string {
  const {release, namespace, name, run} = claim
  const still = `${release} is gone, but not its claim ${namespace}/${name}, which run ${run} was to delete`
  return flags['delete-data'] ? still : `${still}: --delete-data --confirm-data ${name} deletes it`
}

function leftClaimDocument({release, namespace, name, run}: LeftoverClaim): object {
  return {release, namespace, name, run}
}

function plannedText(
  {plan, releases, cleanups, absent, leftClaims}: PlannedRemoval,
  flags: Pick<RemovalFlags, 'delete-data'>,
  palette: Palette,
): View {
  return blocks([
    planText(plan, palette),
    removalText(releases, palette),
    cleanupText(cleanups, palette),
    ...absent.map((name) => [`${name} is not installed: nothing to remove`]),
    ...leftClaims.map((claim) => [leftClaimText(claim, flags)]),
  ])
}

/** `missing` are the confirmations for want of which the removal would be refused. */
function plannedDocument(
  {plan, releases, cleanups, absent, leftClaims}: PlannedRemoval,
  missing: readonly KkError[],
): object {
  return {
    ...planDocument(plan),
    removal: removalDocument(releases),
    ...(cleanups.length > 0 && {elsewhere: cleanupDocument(cleanups)}),
    absent,
    ...(leftClaims.length > 0 && {leftClaims: leftClaims.map(leftClaimDocument)}),
    unconfirmed: missing.map((error) => errorDocument(error).error),
  }
}

/** The answers that a removal has got. */
interface ConfirmedRemoval {
  /** True when nothing more need be asked. */
  readonly isConfirmed: boolean
  /** Claims that are given up. */
  readonly claims: readonly Claim[]
}

/**
 * Confirms all that a removal needs confirmed by name, one after the other; asks on a terminal. Throws `KK_UNCONFIRMED` for the
 * first that is not.
 */
async function confirmRemoval(
  command: RemovalCommand,
  planned: PlannedRemoval,
  context: RemovalContext,
): Promise<ConfirmedRemoval> {
  const {confirm, guard, claims} = steps(command, planned, {context, mayAsk: canAsk()})
  const isConfirmed = await confirm()
  await guard()
  return {isConfirmed, claims: await claims()}
}

/** Returns every confirmation for want of which a removal would be refused; asks for none, and changes nothing. */
async function missingConfirmations(
  command: RemovalCommand,
  planned: PlannedRemoval,
  context: RemovalContext,
): Promise<readonly KkError[]> {
  const missing: KkError[] = []
  for (const step of Object.values(steps(command, planned, {context, mayAsk: false}))) {
    try {
      await step()
    } catch (error) {
      const known = asKkError(error)
      if (known.code !== 'KK_UNCONFIRMED') throw error
      missing.push(known)
    }
  }
  return missing
}

interface Circumstances {
  readonly context: RemovalContext
  readonly mayAsk: boolean
}

function steps(command: RemovalCommand, planned: PlannedRemoval, {context, mayAsk}: Circumstances) {
  const {flags} = command
  const releases = planned.plan.actions.map(({release}) => release)
  const wish = {isWanted: flags['delete-data'], confirmed: flags['confirm-data'] ?? [], mayAsk}
  return {
    confirm: () => command.confirm(planned, context, mayAsk),
    guard: () => expectLetGo(context.cluster.guard, releases, Date.now()),
    claims: () => chosenClaims(planned, wish),
  }
}

export interface RemovalCommand {
  readonly verb: string
  readonly flags: RemovalFlags
  /** Arguments: the environment file and releases. */
  readonly argv: readonly string[]
  readonly console: Console
  readonly named?: NamedReleases
  readonly plan: (context: RemovalContext, names: readonly string[]) => Promise<PlannedRemoval>
  /** Confirms what is to be confirmed by name; throws `KK_UNCONFIRMED`. True when nothing more need be asked. */
  readonly confirm: (planned: PlannedRemoval, context: RemovalContext, mayAsk: boolean) => Promise<boolean>
}
