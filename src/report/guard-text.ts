import type {Approval} from '../kubernetes/guard/guard.ts'
import type {ReleaseId} from '../release.ts'
import {type ApprovalPlan, type GuardPlan, type GuardStatus, objectText} from '../verbs/guard.ts'
import type {Palette} from './colour.ts'
import {pairs} from './table.ts'
import {releaseLabels} from './text/label.ts'
import {counted} from './text/list.ts'
import type {View} from './text/view.ts'

/** Returns the state of the guard: what it protects, what is approved, and its faults. */
export function guardStatusText(status: GuardStatus, {good, bad, change, quiet}: Palette): View {
  const {supported, installed, enforced, faults, releases, approvals} = status
  if (!supported) return 'this cluster cannot have a guard: it needs Kubernetes 1.30 or newer\n'
  if (!installed) return ['there is no guard', ...releasesLines(releases, change)]
  const isSound = enforced && faults.length === 0
  const rows = releases.map(
    ({release, guarded}) =>
      [
        release,
        guarded ? good('guarded') : change('protected, but not guarded: run kk guard install again'),
      ] as const,
  )
  return [
    isSound ? good('the guard is on') : bad('the guard is broken; kk guard install repairs it'),
    ...(enforced ? [] : [`  ${bad('!')} the API server does not enforce it`]),
    ...faults.map((fault) => `  ${bad('!')} ${fault}`),
    pairs(rows, {indent: '  '}),
    ...approvals.flatMap((approval) => [
      `${approval.state === 'open' ? change('approved') : quiet('ran out')}: ${headText(approval)}`,
      ...objectLines(approval),
    ]),
  ]
}

/** Returns the text of what installing the guard would change. */
export function guardPlanText(
  {parameters, added, dropped}: GuardPlan,
  context: string,
  {good, change}: Palette,
): string {
  const previous = parameters.releases.filter((release) => !added.includes(release))
  return [
    `guard of ${context}: ${counted(parameters.releases.length, 'protected release')}`,
    ...previous.map((release) => `    ${release}`),
    ...added.map((release) => `  ${good('+')} ${release}`),
    ...dropped.map(
      (release) =>
        `  ${change('-')} ${release}  no longer protected, or not installed: it will not be guarded`,
    ),
    '',
  ].join('\n')
}

/** Returns the text of what would be approved, object by object. */
export function approvalText({approvals}: ApprovalPlan, context: string, {change}: Palette): string {
  return approvals
    .flatMap((approval) => [
      `${change('may be deleted')} on ${context}: ${headText(approval)}`,
      ...objectLines(approval),
      '',
    ])
    .join('\n')
}

/**
 * Returns a line for the end of a deploy about protected releases that no guard keeps yet: only kk itself
 * respects the protection.
 */
export function guardOfferText(releases: readonly ReleaseId[], place: string, {accent}: Palette): string {
  const names = releases.map(releaseLabels(releases)).join(', ')
  const [verb, object] = releases.length === 1 ? ['is', 'it'] : ['are', 'them']
  return `${accent('hint')}: ${names} ${verb} protected, but helm and kubectl would still delete ${object}; to prevent that: kk guard install ${place}\n`
}

function releasesLines(releases: GuardStatus['releases'], change: Palette['change']): readonly string[] {
  if (releases.length === 0) return []
  const names = releases.map(({release}) => release).join(', ')
  return [`${change('not guarded')}: ${names}`, 'install it with: kk guard install']
}

function headText({release, expires, by}: Approval): string {
  const until = new Date(expires * 1000).toISOString().replace('.000Z', 'Z')
  return `${release} until ${until}, by ${by}`
}

function objectLines({objects}: Approval): readonly string[] {
  return objects.length === 0
    ? ['    nothing of it is there']
    : objects.map((object) => `    ${objectText(object)}`)
}
