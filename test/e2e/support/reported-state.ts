import {eventsIn} from './events.ts'
import type {ObjectsCorner} from './objects-chart.ts'

/** Returns what status, history and plan report of a release. */
export async function reportedState(corner: ObjectsCorner, release: string) {
  const status = await corner.kk('status', '--output', 'json')
  const plan = await corner.kk('plan', '--output', 'json')
  const history = await corner.corner.kk(
    ['history', `${corner.name}/${release}`, '-e', 'env.yaml', '--output', 'json'],
    {env: corner.env},
  )
  const id = `${corner.name}/${release}`
  const ofRelease = (each: {release: string}) => each.release === id
  const row = JSON.parse(status.stdout).releases.find(ofRelease)
  return {
    exitCode: status.exitCode,
    health: row.health,
    gate: row.gate,
    history: JSON.parse(history.stdout).revisions[0].gate,
    plan: JSON.parse(plan.stdout).actions.find(ofRelease).kind,
  }
}

/** Returns how each release of a run has ended, by its name, from the events of the run. */
export function releaseOutcomes(stdout: string): Record<string, string> {
  const ended = eventsIn(stdout).flatMap((event) =>
    event.type === 'release-succeeded' || event.type === 'release-failed' || event.type === 'release-skipped'
      ? [[event.release.split('/')[1]!, event.type.replace('release-', '')] as const]
      : [],
  )
  return Object.fromEntries(ended)
}

/** Deploys the environment of a corner; prints the events of the run. */
export const deploy = (corner: ObjectsCorner) => corner.kk('deploy', '--yes', '--output', 'ndjson')
