import {clockText} from '../../../kubernetes/node-clocks.ts'
import {endingWithin, heldBy} from '../../cluster/certificates.ts'
import type {Change, CheckResult, UpgradeScope} from '../change.ts'
import type {Check} from '../checks.ts'

/** A node whose clock differs by more signs tokens and certificates that others refuse. */
const MAX_CLOCK_SKEW_SECONDS = 30
/** Longer than an upgrade takes, in milliseconds. */
const WINDOW_MS = 86_400_000

/** Finds nodes with a wrong clock before an upgrade of services. */
export const nodeClocks: Check = {
  name: 'clocks before an upgrade',
  changing: ['deploy'],
  outcome: 'refuses if the clock of a node differs by more than 30 s: KK_UPGRADE_CHECK',
  cost: 'one if an image is replaced',
  find: async ({upgrade, cluster}) => (upgrade ? wrongClocks(cluster) : []),
}

/** Finds certificates that end in the course of an upgrade of services. */
export const certificates: Check = {
  name: 'certificates before an upgrade',
  changing: ['deploy'],
  outcome: 'refuses if one in the manifests of the services ends within a day: KK_UPGRADE_CHECK',
  cost: 'those of "objects of two releases"',
  find: async (change) => (change.upgrade ? endingCertificates(change, change.upgrade) : []),
}

async function wrongClocks({diagnosis}: Change['cluster']): Promise<readonly CheckResult[]> {
  const clocks = await diagnosis.clocks()
  return clocks
    .filter(({ahead}) => Math.abs(ahead) > MAX_CLOCK_SKEW_SECONDS)
    .map((clock) => ({
      what: `the clock of node ${clock.node} is ${clockText(clock)}${clock.ahead > 0 ? ' of' : ''} the API server's`,
      advice: `on ${clock.node}: timedatectl set-ntp true; --skip-upgrade-checks upgrades all the same`,
      refusal: 'KK_UPGRADE_CHECK',
    }))
}

/** The certificates that run after the change: of new revisions, and of releases that stay as they are. */
async function endingCertificates(
  {next, staying}: Change,
  {near}: UpgradeScope,
): Promise<readonly CheckResult[]> {
  const {releases} = await staying()
  const all = [
    ...[...next].map(([release, {objects}]) => ({release, objects})),
    ...releases.filter(({release}) => near.has(release)),
  ]
  const held = all.flatMap(({release, objects}) => objects.flatMap(({object}) => heldBy(release, object)))
  return endingWithin(held, {now: Date.now(), window: WINDOW_MS}).map(({what, release}) => ({
    what: `${release}: ${what}`,
    advice: 'kk doctor FILE says how to renew it; --skip-upgrade-checks upgrades all the same',
    refusal: 'KK_UPGRADE_CHECK',
  }))
}
