import type {Palette} from '../report/colour.ts'

/**
 * The first words of all commands by task, each with what help says of it: of a command, or of all commands
 * that begin with the word.
 */
const GROUPS = {
  Start: {
    init: 'Create a first environment file',
    check: 'Check the file and its charts, without a cluster',
    plan: 'Show what a deploy would do, and why',
    deploy: 'Deploy an environment: install and upgrade what differs',
    status: 'Show the status of each release on the cluster',
    help: 'Explain a term of kk, or how to use a command',
    docs: 'List, print and search the pages of the documentation',
    completion: 'Print the shell completion script',
  },
  Look: {
    graph: 'Show which releases require which',
    values: 'Show, explain and split the values of releases',
    render: 'Print the manifests that helm would apply',
    openrc: 'Print an openrc or a clouds.yaml to log in to the cloud',
    facts: 'Show the facts about the cloud, and the source of each',
    logs: 'Show the logs of all pods in order of time',
    history: 'Show the runs of an environment, or revisions',
    drift: 'Show where objects on the cluster differ',
    doctor: 'Check helm, the cluster and leftovers for problems',
    audit: 'Find contradictions between the services of a cloud',
    test: 'Run the helm tests of releases',
    orphans: 'List shared releases that nothing uses',
    schema: 'Print the JSON Schemas of the files that kk reads',
    version: 'Show the version of kk, its commit and platform',
  },
  Change: {
    upgrade: 'Upgrade the named releases, and no others',
    update: 'Change values, images and charts, but no versions',
    reconfigure: 'Change values, but no charts and no images',
    apply: 'Carry out a saved plan exactly, or refuse',
    resume: 'Resume a run that was interrupted or failed',
    rollback: 'Roll back to the state before a run',
    remove: 'Uninstall the named releases, unless they are in use',
    destroy: 'Uninstall everything that an environment owns',
    unlock: 'Mark a stuck pending revision as failed',
    node: 'List, drain, evacuate and return nodes',
  },
  Exchange: {
    import: 'Create an environment file from releases or other tools',
    adopt: 'Take over releases that were installed without kk',
    export: 'Export to Flux, Argo, helmfile, Armada or plain helm',
    config: "Convert configuration in kolla's layout",
    charts: 'Explain, package, lock and publish charts',
    images: 'Build, list and mirror the images of the charts',
  },
  Team: {
    overrides: "Show and set the deployer's overrides of charts",
    secrets: 'Manage the passwords and keys that kk generates',
    serve: 'Show an environment as web pages, overrides by REST',
    guard: 'Prevent the deletion of protected releases',
    operator: 'Reconcile environments with an operator in the cluster',
    fleet: 'Show all Environments of the operator, in all clusters',
    run: 'Follow runs that are Jobs in the cluster',
  },
  Try: {
    sandbox: 'A throwaway Kubernetes cluster on this machine',
    aio: 'An all-in-one node with real pods on this machine',
  },
} as const satisfies Groups

/** Commands for pods, for developers and for users of other tools. */
const INTERNAL_GROUPS = {
  Internal: {
    plugins: 'List and run the plugins that generate system overrides',
    entrypoint: 'Wait in a pod for its dependencies',
    kolla: "Find kk's releases by the names of kolla-kubernetes",
    'helm-override-list': 'kk overrides list, as StarlingX prints it',
    'helm-override-show': 'kk overrides show, as StarlingX prints it',
    'helm-overrides-show': 'kk overrides show, as StarlingX prints it',
    'helm-override-update': 'kk overrides update, as StarlingX prints it',
    'helm-override-delete': 'kk overrides delete, as StarlingX prints it',
  },
} as const satisfies Groups

type Groups = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The first words of all commands, with what help says of each, by the title of their group. */
export const COMMAND_GROUPS: Groups = {...GROUPS, ...INTERNAL_GROUPS}

/** What help says of each first word of commands. */
export const WORDS: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(COMMAND_GROUPS))

/** Returns help without a command: what kk can do, by task; `all` adds the internal commands. */
export function rootHelp({all}: {readonly all: boolean}, palette: Palette): readonly string[] {
  const groups: Groups = all ? COMMAND_GROUPS : GROUPS
  const width = Math.max(
    ...Object.values(groups).flatMap((words) => Object.keys(words).map(({length}) => length)),
  )
  const parts = Object.entries(groups).flatMap(([title, words]) => [
    palette.strong(title),
    ...Object.entries(words).map(([word, text]) => `  ${word.padEnd(width)}  ${text}`),
    '',
  ])
  return [
    'Deploys and runs OpenStack on Kubernetes with one Helm chart per service.',
    '',
    'Usage: kk COMMAND [ARGUMENTS] [FLAGS]',
    '',
    ...parts,
    'kk COMMAND --help shows how to use a command, kk help TERM explains a term.',
    ...(all ? [] : ['kk --help --all also lists internal commands, and the terms.']),
  ]
}

const HELP_FLAGS: readonly string[] = ['-h', '--help']

/**
 * Returns a command line, as `kk help` if it asks for help without a command: `kk`, `kk --help --all`. oclif
 * would list all commands by the alphabet.
 */
export function asHelpCommand(argv: readonly string[]): readonly string[] {
  const [first] = argv
  const rest = argv.filter((word) => !HELP_FLAGS.includes(word))
  const hasHelpFlag = rest.length < argv.length
  if (first === 'help' && hasHelpFlag && rest.length === 1) return ['help', 'help']
  const isCommand = rest.some((word) => !word.startsWith('-'))
  return isCommand || first === '--version' ? argv : ['help', ...rest]
}
