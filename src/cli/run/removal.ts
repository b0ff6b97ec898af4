import {asKkError, type ExitCode, KkError} from '../../base/errors.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {Claim} from '../../kubernetes/objects/live-objects.ts'
import type {ReleaseRemoval} from '../../plan/removal/objects.ts'
import {usesReader} from '../../prepare/uses-reader.ts'
import type {Palette} from '../../report/colour.ts'
import {errorDocument, errorText} from '../../report/error-text.ts'
import {cleanupDocument, cleanupText, resourcesLeftText} from '../../report/plan/cleanup-text.ts'
import {planDocument} from '../../report/plan/plan-json.ts'
import {planText} from '../../report/plan/plan-text.ts'
import {objectsLeftText, removalDocument, removalText} from '../../report/plan/removal-text.ts'
import {runDocument} from '../../report/run/run-json.ts'
import {blocks, type View} from '../../report/text/view.ts'
import {DEFAULT_TIMEOUT_SECONDS} from '../../run/task.ts'
import {whoAmI} from '../../state/processes/who-am-i.ts'
import {checkGuard} from '../../verbs/removal/guarded.ts'
import {deleteLeftoverClaims, type LeftoverClaim} from '../../verbs/removal/leftover-claims.ts'
import {deleteLeftoverLeases} from '../../verbs/removal/leftover-leases.ts'
import type {PlannedRemoval, RemovalContext} from '../../verbs/removal/planned.ts'
import {type Console, canAsk, confirm, writeView} from '../console.ts'
import {openChosenCluster, openUsersHelm} from '../open/cluster.ts'
import {openEnvironment} from '../open/open.ts'
import type {NamedReleases} from './change.ts'
import {chosenClaims} from './confirm-removal.ts'
import type {RemovalFlags} from './flags.ts'
import {statusCommand, targetArguments} from './repeat-command.ts'
import {openReportFiles} from './report-files.ts'
import {endIdle, notOperatedCheck, planInTurn, printResult, runChoices, showPlan, showRun} from './run.ts'

/**
 * Plans, shows what is removed and what stays, asks for confirmation, removes and reports: the common part of
 * all verbs that remove releases.
 */
export async function removeReleases(command: RemovalCommand): Promise<ExitCode> {
  const {flags, argv, console, verb} = command
  const context = {flags, console, reports: await openReportFiles(flags.report)}
  const {environment, releases} = await openEnvironment(flags, argv)
  const names = (await command.named?.(releases, environment)) ?? releases
  await using cluster = await openChosenCluster(flags, environment)
  const ignoredRecords = new Set(flags['ignore-record'] ?? [])
  const {confirm: confirmed = []} = flags
  const subject = {
    ...{environment, cluster, confirmed, ignored: ignoredRecords},
    readUses: usesReader(cluster, ignoredRecords),
  }
  const turn = {environment: environment.name, flags}
  const planned = await planInTurn(cluster, turn, () => command.plan(subject, names))

  if (!flags['dry-run']) await deleteLeftoverLeases(cluster, environment.name, leaseHolder(verb))

  const isRemoved = planned.plan.actions.length === 0
  const isIdle = isRemoved && !(flags['delete-data'] && planned.leftClaims.length > 0)
  const missing = flags['dry-run'] && !isIdle ? await missingConfirmations(command, planned, subject) : []
  const nothing = {left: removalDocument([])}
  const dryExit = await showPlan(planned.plan, context, {
    text: (palette) => plannedText(planned, flags, palette),
    document: plannedDocument(planned, missing),
    isIdle,
    isAlwaysSaid: true,
    nothing,
    ...(!isRemoved && notOperatedCheck(cluster.leases, planned.plan)),
  })
  for (const error of missing) console.say(errorText(error, console.palette('stderr')))
  if (dryExit !== undefined) return missing[0]?.exit ?? dryExit

  const {isConfirmed, claims} = await confirmRemoval(command, planned, subject)
  if (!flags.yes && !isConfirmed) await askOrRefuse(`${verb} these releases from ${cluster.context}?`)
  const leftClaims = planned.leftClaims.filter((claim) => claims.includes(claim))
  await deleteLeft(leftClaims, {cluster, verb, flags})
  if (isRemoved) return await endIdle(planned.plan, context, nothing)

  const helm = await openUsersHelm(flags, cluster)
  const remaining: ReleaseRemoval[] = []
  const choices = runChoices(flags, {verb, scope: {names, install: false}})
  const run = planned.run({
    ...choices,
    ports: {cluster, helm},
    claims,
    onStays: (stays) => void remaining.push(stays),
  })
  const place = targetArguments(environment.file, flags)
  const retryCommand = ['kk', verb, ...names, place, ...repeatedFlags(flags)].join(' ')
  const commands = {retryCommand, status: statusCommand(environment, flags)}
  const {state, exit} = await showRun(run, {...context, choices, commands})
  console.say(objectsLeftText(remaining, console.palette('stderr')))
  const remainingCleanups = planned.cleanups.filter((each) =>
    remaining.some(({release}) => release === each.release),
  )
  console.say(resourcesLeftText(remainingCleanups, console.palette('stderr')))
  printResult(
    {
      ...runDocument(state),
      left: removalDocument(remaining),
      ...(remainingCleanups.length > 0 && {elsewhere: cleanupDocument(remainingCleanups)}),
    },
    context,
  )
  return exit
}

/** Returns the flags that repeat the requested and confirmed removal. */
function repeatedFlags(flags: RemovalFlags): readonly string[] {
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
  throw new KkError('KK_UNCONFIRMED', 'not confirmed, and there is no terminal to ask on', {
    hint: 'check the two lists above, then pass --yes; nothing was changed',
  })
}

interface DeleteOptions {
  readonly cluster: Cluster
  /** The name of the command. */
  readonly verb: string
  readonly flags: RemovalFlags
}

/**
 * Deletes the claims that an interrupted removal should have deleted, and reports them; waits for other
 * holders of the releases.
 */
async function deleteLeft(
  claims: readonly LeftoverClaim[],
  {cluster, verb, flags}: DeleteOptions,
): Promise<void> {
  const say = (line: string) => writeView('stderr', `${line}\n`)
  await deleteLeftoverClaims(cluster, claims, {
    holder: leaseHolder(verb),
    patience: flags['no-wait'] ? 0 : DEFAULT_TIMEOUT_SECONDS * 1000,
    onHeld: (release, by) => say(`${release} is held by ${by}: waiting for it`),
  })
  for (const {namespace, name, run} of claims)
    say(`deleted the claim ${namespace}/${name}, which run ${run} should have deleted`)
}

function leaseHolder(verb: string): string {
  return `${whoAmI()} (process ${process.pid}, kk ${verb})`
}

function leftClaimText(claim: LeftoverClaim, flags: Pick<RemovalFlags, 'delete-data'>): string {
  const {release, namespace, name, run} = claim
  const remains = `${release} is removed, but not its claim ${namespace}/${name}, which run ${run} should have deleted`
  return flags['delete-data'] ? remains : `${remains}: --delete-data --confirm-data ${name} deletes it`
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

/**
 * Returns the document of a planned removal; `missing` are the confirmations without which it would be
 * refused.
 */
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

/** The confirmations of a removal. */
interface ConfirmedRemoval {
  /** True if no further confirmation is needed. */
  readonly isConfirmed: boolean
  /** The claims to delete. */
  readonly claims: readonly Claim[]
}

/**
 * Confirms by name everything that a removal requires, in sequence; asks on a terminal. Throws
 * `KK_UNCONFIRMED` for the first missing confirmation.
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

/**
 * Returns every missing confirmation for which a removal would be refused; asks for none, and changes
 * nothing.
 */
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
      const kkError = asKkError(error)
      if (kkError.code !== 'KK_UNCONFIRMED') throw error
      missing.push(kkError)
    }
  }
  return missing
}

interface StepContext {
  readonly context: RemovalContext
  readonly mayAsk: boolean
}

function steps(command: RemovalCommand, planned: PlannedRemoval, {context, mayAsk}: StepContext) {
  const {flags} = command
  const releases = planned.plan.actions.map(({release}) => release)
  const claimOptions = {isWanted: flags['delete-data'], confirmed: flags['confirm-data'] ?? [], mayAsk}
  return {
    confirm: () => command.confirm(planned, context, mayAsk),
    guard: () => checkGuard(context.cluster.guard, releases, Date.now()),
    claims: () => chosenClaims(planned, claimOptions),
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
  /**
   * Confirms by name what requires it; throws `KK_UNCONFIRMED`. True if no further confirmation is needed.
   */
  readonly confirm: (planned: PlannedRemoval, context: RemovalContext, mayAsk: boolean) => Promise<boolean>
}
