import type {CommandReference} from '../../src/cli/reference.ts'

export interface Variable {
  readonly names: readonly string[]
  /** In Markdown, with links relative to `docs/`. */
  readonly meaning: string
  /** The commands that read it have one of these flags. */
  readonly flags?: readonly string[]
  /** The commands that read it begin with one of these words. */
  readonly words?: readonly string[]
}

/** The variables that kk reads; without flags and words, all commands read them. */
export const VARIABLES: readonly Variable[] = [
  {
    names: ['KK_ENVIRONMENT'],
    meaning: 'the environment file, if the command line names none',
    flags: ['environment'],
  },
  {
    names: ['KK_CONTEXT'],
    meaning: 'the kubeconfig context, if no flag names one',
    flags: ['context'],
  },
  {names: ['KUBECONFIG'], meaning: 'the kubeconfig files, as for kubectl', flags: ['kubeconfig']},
  {names: ['KK_HELM'], meaning: 'the helm binary: a path, or a name on `PATH`', flags: ['helm']},
  {
    names: ['KK_FACTS'],
    meaning: 'the [facts file](writing-a-plugin.md#facts), if `--facts` is not given',
    flags: ['facts'],
  },
  {
    names: ['KK_PLUGINS'],
    meaning: 'the directory of [your plugins](writing-a-plugin.md), if `--plugins` is not given',
    flags: ['plugins'],
  },
  {
    names: ['KK_STORE'],
    meaning: 'the [override store](overrides.md#the-store), if `--store` is not given',
    flags: ['store'],
  },
  {
    names: ['KK_STORE_KEY', 'KK_STORE_KEY_FILE'],
    meaning: 'the key that encrypts the store, or a file that contains it',
    flags: ['store'],
  },
  {
    names: ['KK_SERVER', 'KK_SERVER_TOKEN'],
    meaning: 'the [server](rest-api.md#kk-through-a-server) for overrides, and its token (or `KK_TOKEN`)',
    flags: ['server'],
  },
  {
    names: ['KK_TOKEN', 'KK_TOKEN_FILE'],
    meaning: 'the [tokens](rest-api.md#access-from-other-machines) that `kk serve` accepts',
    words: ['serve'],
  },
  {
    names: ['KK_TOOLBOX'],
    meaning:
      'a directory with the binaries of the sandbox, searched first; with it, nothing is [downloaded](sandbox.md#where-its-programs-come-from)',
    flags: ['sandbox', 'sandbox-name'],
    words: ['sandbox', 'aio'],
  },
  {
    names: ['KK_TOOLBOX_ARCHIVES'],
    meaning: "a directory that keeps the downloads of the sandbox's binaries, for other machines",
    flags: ['sandbox', 'sandbox-name'],
    words: ['sandbox'],
  },
  {
    names: ['KK_NO_CACHE'],
    meaning: 'if it is not empty, kk reads charts again instead of using what it cached about them',
    flags: ['environment'],
  },
  {
    names: ['XDG_STATE_HOME', 'XDG_CACHE_HOME'],
    meaning: "the parents of kk's own directories `kk/`; by default `~/.local/state` and `~/.cache`",
  },
  {
    names: ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'],
    meaning:
      'the proxy for the API server, registries and `kk serve`, with the rules of Go (as in helm and kubectl): domain names with their subdomains, addresses, networks (`10.0.0.0/8`), each with an optional port; never for this machine; `proxy-url` of the kubeconfig takes precedence',
  },
  {names: ['NO_COLOR'], meaning: 'no color, if it is not empty'},
]

/** Returns the variables that not all commands read, but this one does. */
export function variablesOf({id, flags}: CommandReference): readonly Variable[] {
  const [word = ''] = id.split(':')
  return VARIABLES.filter(
    (variable) => variable.words?.includes(word) || variable.flags?.some((flag) => flag in flags),
  )
}
