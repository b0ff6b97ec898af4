import {KkError} from '../../base/errors.ts'
import type {OverrideService, OverrideUpdate} from '../../overrides/service.ts'
import type {ChartPlace} from '../../overrides/user/store.ts'
import type {OverridesChange} from '../../report/overrides/overrides-text.ts'
import {readNamedFile, readStandardInput} from '../../state/files/named-file.ts'
import type {DeleteFlags, UpdateFlags} from './flags.ts'
import {withOverrides} from './open-overrides.ts'
import {type NamedChart, placeOfChart} from './places.ts'

/** The user overrides of a chart before and after a change; `before` is empty unless it is shown. */
export type Changed = OverridesChange

/** Applies an update; with `--dry-run` only returns the change. */
export async function updateChart(
  chart: NamedChart,
  flags: UpdateFlags,
  say: (line: string) => void,
): Promise<Changed> {
  const update = await requestedUpdate(flags)
  const {'dry-run': dryRun, 'show-secrets': showSecrets} = flags
  return withOverrides(flags, {changes: !dryRun, say}, async (service) => {
    const place = await placeOfChart(service, chart)
    const {name, namespace} = place
    const before = dryRun ? await readOverrides(service, place, showSecrets) : ''
    const {userOverrides} = await service.update(name, namespace, {...update, dryRun, showSecrets})
    return {name, namespace, before, after: userOverrides}
  })
}

/** Deletes the user overrides of a chart; with `--dry-run` only returns them. */
export async function deleteOverrides(
  chart: NamedChart,
  flags: DeleteFlags,
  say: (line: string) => void,
): Promise<{readonly place: ChartPlace; readonly change?: Changed}> {
  return withOverrides(flags, {changes: !flags['dry-run'], say}, async (service) => {
    const place = await placeOfChart(service, chart)
    if (flags['dry-run']) {
      const before = await readOverrides(service, place, flags['show-secrets'])
      return {place, change: {...place, before, after: ''}}
    }
    await service.delete(place.name, place.namespace)
    return {place}
  })
}

/** Returns the stored user overrides: the result of an update that changes nothing. */
async function readOverrides(
  service: OverrideService,
  place: ChartPlace,
  showSecrets: boolean,
): Promise<string> {
  const nothing = {files: [], set: [], setString: []}
  const update = {flag: 'reuse', values: nothing, dryRun: true, showSecrets} as const
  return (await service.update(place.name, place.namespace, update)).userOverrides
}

/**
 * Returns the update that the flags specify. Expressions take precedence over files, whatever their order on
 * the command line. Rejects with `KK_FILE` for a file that cannot be read, and with `KK_USAGE` without
 * overrides, which would reset everything.
 */
async function requestedUpdate(flags: UpdateFlags): Promise<OverrideUpdate> {
  const {values = [], set = [], 'set-string': setString = []} = flags
  if (values.length + set.length + setString.length === 0 && !flags['reset-values']) throw nothingGiven()
  const files = []
  for (const file of values)
    files.push({
      source: file === '-' ? 'standard input' : file,
      text: await readText(file, `--values ${file}`),
    })
  return {flag: flags['reuse-values'] ? 'reuse' : 'reset', values: {files, set, setString}}
}

/** Reads a file, or standard input for `-`. Rejects with `KK_FILE`; the message calls the file `what`. */
export async function readText(file: string, what: string): Promise<string> {
  if (file === '-') return readStandardInput(what)
  return readNamedFile(file, {what, hint: 'check the path and its permissions; nothing was changed'})
}

function nothingGiven(): KkError {
  return new KkError('KK_USAGE', 'expected overrides, got none', {
    hint: 'pass --values, --set or --set-string; --reset-values without them deletes all overrides',
  })
}
