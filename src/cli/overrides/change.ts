import type {OverrideService} from '../../overrides/service.ts'
import type {OverridesChange} from '../../report/overrides/overrides-text.ts'
import type {Place} from './formats.ts'
import {type OverridesFlags, onOverrides} from './open-overrides.ts'
import {type NamedChart, placeOfChart} from './places.ts'
import {requestedUpdate, type UpdateFlags} from './update.ts'

interface ChangeFlags extends OverridesFlags {
  readonly 'show-secrets': boolean
  readonly 'dry-run': boolean
}

/** The user overrides of a chart before a change, as far as they are to be shown, and after it. */
export type Changed = OverridesChange

/** Does an update, or with `--dry-run` only says what it would be. */
export async function updateChart(
  chart: NamedChart,
  flags: ChangeFlags & UpdateFlags,
  say: (line: string) => void,
): Promise<Changed> {
  const update = await requestedUpdate(flags)
  const {'dry-run': dryRun, 'show-secrets': showSecrets} = flags
  return onOverrides(flags, {changes: !dryRun, say}, async (service) => {
    const place = await placeOfChart(service, chart)
    const {name, namespace} = place
    const before = dryRun ? await present(service, place, showSecrets) : ''
    const {userOverrides} = await service.update(name, namespace, {...update, dryRun, showSecrets})
    return {name, namespace, before, after: userOverrides}
  })
}

/** Deletes the user overrides of a chart, or with `--dry-run` only says what they are. */
export async function deleteOfChart(
  chart: NamedChart,
  flags: ChangeFlags,
  say: (line: string) => void,
): Promise<{readonly place: Place; readonly change?: Changed}> {
  return onOverrides(flags, {changes: !flags['dry-run'], say}, async (service) => {
    const place = await placeOfChart(service, chart)
    if (flags['dry-run']) {
      const before = await present(service, place, flags['show-secrets'])
      return {place, change: {...place, before, after: ''}}
    }
    await service.delete(place.name, place.namespace)
    return {place}
  })
}

/** The user overrides as they are: what an update would leave that adds nothing. */
async function present(service: OverrideService, place: Place, showSecrets: boolean): Promise<string> {
  const nothing = {files: [], set: [], setString: []}
  const how = {flag: 'reuse', values: nothing, dryRun: true, showSecrets} as const
  return (await service.update(place.name, place.namespace, how)).userOverrides
}
