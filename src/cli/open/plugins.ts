import {builtInPlugins, type Plugins, withPlugins} from '../../overrides/system/plugins.ts'

export interface PluginsFlags {
  readonly plugins?: string | undefined
}

/** kk's own plugins, with those of the directory that the flag, or KK_PLUGINS, names. Rejects as `readPlugins` does. */
export async function openPlugins({plugins}: PluginsFlags): Promise<Plugins> {
  const directory = plugins ?? (process.env.KK_PLUGINS || undefined)
  if (directory === undefined) return builtInPlugins()
  const {readPlugins} = await import('../../overrides/system/outside/read-plugins.ts')
  return withPlugins(builtInPlugins(), await readPlugins(directory))
}
