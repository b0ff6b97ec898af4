import type {Command, Interfaces} from '@oclif/core'
import type {OclifOptions} from './command.ts'
import type {Console} from './console.ts'
import type {CommandTable} from './reference.ts'

/** The summaries of the command topics, for help. */
export const TOPICS = {
  aio: 'An all-in-one Kubernetes node with real pods on this machine',
  charts: 'Explain, package, lock and publish charts',
  config: "Convert configuration in kolla's layout",
  fleet: 'Show all Environments of the operator, in all their clusters',
  graph: 'Show which releases require which',
  guard: 'Prevent the deletion of protected releases, also by helm and kubectl',
  images: 'Build, list and mirror the images of the charts',
  kolla: "Find kk's releases by the names of kolla-kubernetes",
  operator: 'Reconcile environments with an operator in the cluster',
  overrides: "Show and set the deployer's overrides of charts",
  run: 'Follow runs that are Jobs in the cluster',
  sandbox: 'A throwaway Kubernetes cluster on this machine',
  schema: 'Print the JSON Schemas of the files that kk reads',
  secrets: 'Manage the passwords and keys that kk generates and stores',
  values: 'Split and show the values of releases',
}

/**
 * Returns kk as the only plugin of oclif. Nothing is looked up on disk, so the same object works for the
 * sources, the tests and the single executable.
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
