import type {KkError} from '../../errors.ts'
import {palette} from '../../report/colour.ts'
import {documentText} from '../../report/document.ts'
import {errorDocument, errorText} from '../../report/error-text.ts'
import {planDocument} from '../../report/plan/plan-json.ts'
import {planText} from '../../report/plan/plan-text.ts'
import {removalDocument, removalText} from '../../report/plan/removal-text.ts'
import type {LeftClaim} from '../../verbs/removal/left-claims.ts'
import type {PlannedRemoval} from '../../verbs/removal/planned.ts'
import {levelOf, paletteOf} from '../show/streams.ts'
import {tell} from '../show/tell.ts'
import type {RemovalFlags} from './removal-command.ts'

interface Showing {
  readonly flags: Pick<RemovalFlags, 'output' | 'dry-run' | 'delete-data'>
  /** Words of the command line, for colour. */
  readonly words: readonly string[]
  /** Of a dry run: for want of which confirmations the removal would be refused. */
  readonly missing: readonly KkError[]
}

function leftClaimText(claim: LeftClaim, flags: Showing['flags']): string {
  const {release, namespace, name, run} = claim
  const still = `${release} is gone, but not its claim ${namespace}/${name}, which run ${run} was to delete`
  return flags['delete-data'] ? `${still}\n` : `${still}: --delete-data --confirm-data ${name} deletes it\n`
}

function leftClaimDocument({release, namespace, name, run}: LeftClaim): object {
  return {release, namespace, name, run}
}

/** The plan goes where its reader looks: to standard output only when it is all that was asked for. */
export function showPlanned(
  {plan, releases, absent, leftClaims}: PlannedRemoval,
  {flags, words, missing}: Showing,
): void {
  const {output, 'dry-run': isDry} = flags
  const stream = isDry && output === 'text' ? 'stdout' : 'stderr'
  const colours = palette(levelOf(stream, words))
  const absence = absent.map((name) => `${name} is not installed: nothing to remove\n`)
  const left = leftClaims.map((claim) => leftClaimText(claim, flags))
  const text = [planText(plan, colours), removalText(releases, colours), ...absence, ...left]
  process[stream].write(text.filter((part) => part !== '').join('\n'))
  for (const error of missing) tell('stderr', errorText(error, paletteOf('stderr', words)))
  if (!isDry) return
  const unconfirmed = missing.map((error) => errorDocument(error).error)
  const document = {
    ...planDocument(plan),
    removal: removalDocument(releases),
    absent,
    ...(leftClaims.length > 0 && {leftClaims: leftClaims.map(leftClaimDocument)}),
    unconfirmed,
  }
  if (output === 'ndjson') process.stdout.write(`${JSON.stringify(document)}\n`)
  if (output === 'json' || output === 'yaml') process.stdout.write(documentText(document, output))
}
