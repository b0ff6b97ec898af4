import {maskSecrets} from '../../overrides/secrets.ts'
import {type SystemOverridesOptions, systemOverrides} from '../../overrides/system/system-overrides.ts'
import type {Values} from '../../release.ts'
import {pathsOf} from './facts-base.ts'

interface PluginOverridesOptions extends SystemOverridesOptions {
  readonly showSecrets?: boolean
}

/** What a plugin makes of the facts, with secrets masked unless they are asked for. Rejects as `systemOverrides`. */
export async function pluginOverrides({
  showSecrets = false,
  ...options
}: PluginOverridesOptions): Promise<Values> {
  const overrides = await systemOverrides(options)
  return showSecrets ? overrides : maskSecrets(overrides, await pathsOf(options.plugins)(options.chart))
}
