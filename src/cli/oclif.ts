import type {Command, Interfaces} from '@oclif/core'
import type {OclifOptions} from './command.ts'
import type {Console} from './console.ts'
import {type CommandTable, usageOf} from './reference.ts'
import {WORDS} from './root-help.ts'

/**
 * Returns kk as the only plugin of oclif. Nothing is looked up on disk, so the same object works for the
 * sources, the tests and the single executable.
 */
export function oclifOptions(version: string, console: Console, table: CommandTable): OclifOptions {
  const {commands, loaders} = table
  const topics = Object.entries(WORDS).map(([name, description]) => ({name, description}))
  const pjson = {
    name: 'kk',
    version,
    description: 'Deploys and runs OpenStack on Kubernetes with one Helm chart per service.',
    type: 'module',
    oclif: {
      bin: 'kk',
      topicSeparator: ' ',
      additionalHelpFlags: ['-h'],
      topics: Object.fromEntries(topics.map((topic) => [topic.name, topic])),
    },
  } as unknown as Interfaces.PJSON
  const root = import.meta.dirname ?? '/'
  const plugin = {
    _base: '',
    alias: 'kk',
    children: [],
    commandIDs: Object.keys(commands),
    commands: [] as Command.Loadable[],
    commandsDir: undefined,
    hasManifest: true,
    hooks: {},
    isRoot: true,
    manifest: {commands, version},
    moduleType: 'module',
    name: 'kk',
    options: {root, name: 'kk'},
    pjson,
    root,
    topics,
    type: 'core',
    valid: true,
    version,
    async load() {},
    async findCommand(id: string): Promise<Command.Class> {
      const command = (await loaders[id]!()).default as Command.Class
      command.id = id
      command.plugin = plugin as unknown as Interfaces.Plugin
      return command
    },
  }
  plugin.commands = Object.entries(commands).map(([id, cached]) => ({
    ...(cached as unknown as Command.Cached),
    usage: usageOf(cached),
    pluginAlias: 'kk',
    pluginType: 'core',
    load: () => plugin.findCommand(id),
  })) as unknown as Command.Loadable[]
  return {
    console,
    table,
    root,
    pjson,
    version,
    plugins: new Map([['kk', plugin as unknown as Interfaces.Plugin]]),
    devPlugins: false,
    userPlugins: false,
  }
}
