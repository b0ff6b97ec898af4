import {wantText} from '../../../graph/inference/infer.ts'
import {choiceLines} from '../../../prepare/inference/ambiguity.ts'
import type {InferenceFaults} from '../../../prepare/inference/infer-requirements.ts'
import {isHanging, wantedName} from '../../../prepare/inference/notes.ts'
import type {Prepared} from '../../../prepare/prepare.ts'
import {releaseName} from '../../../release.ts'
import type {ChartFault} from '../chart-fault.ts'

/**
 * Returns waits that no release serves, objects that no release creates, and wants that several releases
 * could meet.
 */
export function unserved({
  faults,
  releases,
  environment,
}: Pick<Prepared, 'faults' | 'releases' | 'environment'>): readonly ChartFault[] {
  if (!faults) return []
  return [
    ...faults.unserved.map((each) => unservedFault(each, releases)),
    ...faults.ambiguous.map((each) => ambiguousFault(each, faults, environment)),
  ]
}

function unservedFault(
  each: InferenceFaults['unserved'][number],
  releases: Prepared['releases'],
): ChartFault {
  const {release, want} = each
  const isWait = want.kind === 'ready'
  const hook = want.waiter === 'hook' ? 'the hook ' : ''
  const name = wantedName(want)
  return {
    check: isWait ? 'waits' : 'missing objects',
    level: isHanging(each, releases) ? 'problem' : 'warning',
    release,
    object: want.object,
    file: want.file,
    what: `${hook}${want.object} ${want.text}, and no release ${isWait ? 'serves' : 'makes'} ${name}`,
    advice: `add the chart that makes it, or turn off what needs it; if it is there without kk: kk.given: [${name}]`,
  }
}

function ambiguousFault(
  {release, want, candidates}: InferenceFaults['ambiguous'][number],
  {ambiguous, requirements}: InferenceFaults,
  environment: Prepared['environment'],
): ChartFault {
  const names = candidates.map((each) => releaseName(each.release))
  const lines = choiceLines(ambiguous, {environment, requirements})
  return {
    check: 'ambiguous providers',
    level: 'problem',
    release,
    object: want.object,
    file: want.file,
    what: `${want.object} ${wantText(want, candidates[0]!)}: ${names.join(' and ')} have it`,
    advice: `say which: ${lines.get(release)}`,
  }
}
