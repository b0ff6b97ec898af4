import type {Command, Interfaces} from '@oclif/core'
import type {OclifOptions} from './command.ts'
import type {Console} from './console.ts'
import type {CommandTable} from './reference.ts'

/** Help shows these for the words that stand above commands. */
export const TOPICS = {
  aio: 'An all-in-one Kubernetes node with real pods on this machine',
  charts: 'Explain, pack, lock and publish charts',
  config: "Take over configuration in kolla's layout",
  fleet: 'See all environments that the operator keeps, in all their clusters',
  graph: 'Show who requires whom',
  guard: 'Keep protected releases from being deleted, by helm and kubectl too',
  images: 'Build the images of the charts from scratch',
  kolla: "Find kk's releases by the names of kolla-kubernetes",
  operator: 'Let the cluster itself keep environments as their files say',
  overrides: "See and set the deployer's overrides of charts",
  run: 'Follow runs that Jobs in the cluster do',
  sandbox: 'A throwaway Kubernetes on this machine',
  schema: 'Print the JSON Schemas of what kk reads',
  secrets: 'The passwords and keys that kk makes and keeps',
  values: 'Split and show the values of releases',
}

/**
 * kk as oclif's one plugin, ready-made: nothing is looked up on disk, so the same object serves the sources,
 * the tests and the single executable.
 */
export function oclifOptions(version: string, console: Console, table: CommandTable): OclifOptions {
  const {commands, loaders} = table
  const pjson = {
    name: 'kk',
    version,
    description: 'Deploys and runs OpenStack on Kubernetes with one Helm chart per service.',
    type: 'module',
    oclif: {
      bin: 'kk',
      topicSeparator: ' ',
      additionalHelpFlags: ['-h'],
      topics: Object.fromEntries(Object.entries(TOPICS).map(([name, description]) => [name, {description}])),
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
    topics: Object.entries(TOPICS).map(([name, description]) => ({name, description})),
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
