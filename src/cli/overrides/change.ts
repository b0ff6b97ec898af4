import {KkError} from '../../base/errors.ts'
import type {OverrideService, OverrideUpdate} from '../../overrides/service.ts'
import type {ChartPlace} from '../../overrides/user/store.ts'
import type {OverridesChange} from '../../report/overrides/overrides-text.ts'
import {readNamedFile, readStandardInput} from '../../state/files/named-file.ts'
import type {DeleteFlags, UpdateFlags} from './flags.ts'
import {onOverrides} from './open-overrides.ts'
import {type NamedChart, placeOfChart} from './places.ts'

/** The user overrides of a chart before a change, as far as they are to be shown, and after it. */
export type Changed = OverridesChange

/** Does an update, or with `--dry-run` only says what it would be. */
export async function updateChart(
  chart: NamedChart,
  flags: UpdateFlags,
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
  flags: DeleteFlags,
  say: (line: string) => void,
): Promise<{readonly place: ChartPlace; readonly change?: Changed}> {
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

/** Returns the user overrides as they are: what an update would leave that adds nothing. */
async function present(service: OverrideService, place: ChartPlace, showSecrets: boolean): Promise<string> {
  const nothing = {files: [], set: [], setString: []}
  const how = {flag: 'reuse', values: nothing, dryRun: true, showSecrets} as const
  return (await service.update(place.name, place.namespace, how)).userOverrides
}

/**
 * Returns the update that flags mean. Files come before expressions, whatever their order on the command line. Rejects with
 * `KK_FILE` for a file that cannot be read, and `KK_USAGE` when nothing is given: that would reset everything.
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

/** Reads the text of a file, or of standard input for `-`. Rejects with `KK_FILE`, which names it as `what`. */
export async function readText(file: string, what: string): Promise<string> {
  if (file === '-') return readStandardInput(what)
  return readNamedFile(file, {what, hint: 'check the path and its permissions; nothing was changed'})
}

function nothingGiven(): KkError {
  return new KkError('KK_USAGE', 'expected overrides, got none', {
    hint: 'give --values, --set or --set-string; --reset-values alone takes all overrides away',
  })
}
