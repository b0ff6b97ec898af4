/** The meaning of each exit code. */
export const EXIT_CODES = {
  0: 'done',
  1: 'something failed, or is not healthy',
  2: 'the command line or an input is wrong; nothing was changed',
  3: 'refused for safety',
  4: 'there is something to do; only with `--detailed-exitcode`',
  70: 'a bug of kk',
  130: 'interrupted by Ctrl-C (SIGINT) or a closed terminal (SIGHUP)',
  143: 'interrupted by SIGTERM',
} as const

export type ExitCode = keyof typeof EXIT_CODES

interface ErrorKind {
  readonly exit: ExitCode
  readonly meaning: string
}

/**
 * Every error code that a user can meet, with its exit code and its meaning. Codes are stable; the reference
 * in `docs/` is generated from this table.
 */
export const ERRORS = {
  KK_BUG: {exit: 70, meaning: 'a bug of kk itself; please report it'},
  KK_USAGE: {exit: 2, meaning: 'the command line is invalid'},
  KK_INTERRUPTED: {exit: 130, meaning: 'the run was interrupted'},
  KK_NO_ENVIRONMENT: {exit: 2, meaning: 'no environment file was named or found, or several were found'},
  KK_FILE: {exit: 2, meaning: 'a file cannot be read or written'},
  KK_YAML: {exit: 2, meaning: 'a file is not the YAML that Helm would read'},
  KK_ENVIRONMENT: {exit: 2, meaning: 'the environment file has a key or value that kk does not accept'},
  KK_CHART_NOT_FOUND: {exit: 2, meaning: 'no source of charts has a chart of that name'},
  KK_CHART: {exit: 2, meaning: 'a chart cannot be read, fetched or used'},
  KK_PUBLISHED: {exit: 3, meaning: 'a version of a chart is published already, with other content'},
  KK_PROVENANCE: {
    exit: 3,
    meaning:
      'the signature of a chart is missing, belongs to another package, or matches no key of the keyring',
  },
  KK_SIGNING: {exit: 1, meaning: 'a package could not be signed'},
  KK_LOCKED: {exit: 3, meaning: 'charts or images differ from kk.lock'},
  KK_RENDER: {exit: 2, meaning: 'a chart does not render with these values'},
  KK_VALUES: {exit: 2, meaning: 'values violate the schema of their chart, or a --set expression is invalid'},
  KK_UNKNOWN_RELEASE: {exit: 2, meaning: 'the environment has no release of that name'},
  KK_UNKNOWN_CHART: {exit: 2, meaning: 'a named chart is not active, or has no plugin'},
  KK_UNKNOWN_NAMESPACE: {
    exit: 2,
    meaning: 'a named chart is not installed in the namespace, or its plugin does not declare the namespace',
  },
  KK_ARMADA: {exit: 2, meaning: 'an Armada manifest is incomplete, or lacks the document of a chart'},
  KK_IMPORT: {
    exit: 2,
    meaning:
      'files of another tool contain nothing to import, or something that an environment cannot express',
  },
  KK_EXPORT: {
    exit: 3,
    meaning:
      'an export would change the releases that existing objects install, or install the same releases by objects with other names',
  },
  KK_UNKNOWN_REQUIREMENT: {exit: 2, meaning: 'a release requires something that no source of charts has'},
  KK_KOLLA: {exit: 2, meaning: 'configuration in the layout of kolla-ansible cannot be used'},
  KK_FACTS: {exit: 2, meaning: 'the facts file has a key or value that kk does not accept'},
  KK_PLUGIN: {exit: 2, meaning: 'an external plugin cannot be used, or has failed'},
  KK_AMBIGUOUS: {exit: 2, meaning: 'several releases match an inferred requirement of a chart'},
  KK_UNSERVED: {
    exit: 2,
    meaning:
      'a hook of a chart, or the dump before a migration, waits for an object that no release creates, or that helm creates only after the hook',
  },
  KK_UPGRADE_CHECK: {
    exit: 3,
    meaning:
      'the cloud is not ready for an upgrade, a new image of a service cannot replace the old one, or a migration would break or lock what is in use',
  },
  KK_CYCLE: {exit: 2, meaning: 'releases need each other through a ready edge'},
  KK_NOT_INSTALLED: {exit: 2, meaning: 'a required or named release is not installed'},
  KK_HELM_MISSING: {exit: 2, meaning: 'no helm binary was found'},
  KK_HELM_VERSION: {exit: 2, meaning: 'this helm is too old, or its version is unknown'},
  KK_HELM_DRIVER: {exit: 2, meaning: 'HELM_DRIVER is not "secret"'},
  KK_HELM_FAILED: {exit: 1, meaning: 'helm failed'},
  KK_HELM_DOWNGRADE: {
    exit: 3,
    meaning: 'helm 3 would convert a release that helm 4 applied on the server side',
  },
  KK_KUBECONFIG: {exit: 2, meaning: 'the kubeconfig or its context cannot be used'},
  KK_UNREACHABLE: {exit: 1, meaning: 'the cluster does not answer'},
  KK_FORBIDDEN: {exit: 1, meaning: 'the cluster denies the request: a permission is missing'},
  KK_KUBERNETES_VERSION: {
    exit: 2,
    meaning: 'the cluster is older than the oldest Kubernetes that kk supports',
  },
  KK_API: {exit: 1, meaning: 'the Kubernetes API returned an error'},
  KK_EXEC: {exit: 1, meaning: 'a program in a container could not be started, or did not end in time'},
  KK_API_SERVER: {exit: 1, meaning: 'the API server failed to serve a request; a retry may succeed'},
  KK_WEBHOOK: {
    exit: 1,
    meaning:
      'an admission webhook of the cluster does not answer, so that objects cannot be checked or written',
  },
  KK_INVALID_OBJECT: {exit: 2, meaning: 'the cluster would not accept an object of a chart'},
  KK_RECORD: {exit: 3, meaning: 'a release record on the cluster cannot be read'},
  KK_WRONG_CONTEXT: {exit: 3, meaning: 'the environment belongs to another kubeconfig context'},
  KK_WRONG_CLUSTER: {exit: 3, meaning: 'the cluster is not the one of the Environment'},
  KK_FOREIGN: {exit: 3, meaning: 'a release of that name exists, and kk did not install it'},
  KK_OTHER_CHART: {exit: 3, meaning: 'the release to adopt was installed from another chart'},
  KK_COMPONENTS: {
    exit: 3,
    meaning: 'a section is installed as one release and would become several, or the other way round',
  },
  KK_COMMON_FIRST: {
    exit: 3,
    meaning: 'a component would be changed before the configuration and the jobs that it needs',
  },
  KK_HAS_DEPENDENTS: {exit: 3, meaning: 'something on the cluster requires the release, or might'},
  KK_OWNER: {exit: 3, meaning: 'the release belongs to another environment'},
  KK_HANDED_OVER: {
    exit: 3,
    meaning: 'the release was handed over to another tool, or another tool manages it',
  },
  KK_PENDING: {exit: 3, meaning: 'an operation on the release is still pending'},
  KK_RACED: {exit: 1, meaning: 'another process changed the release in the meantime'},
  KK_CONFLICT: {exit: 3, meaning: 'another field manager owns a field that helm would set'},
  KK_PAUSED: {exit: 3, meaning: 'the environment is paused, so the operator does not change it'},
  KK_UNAPPROVED: {exit: 3, meaning: 'the plan of the Environment waits for approval'},
  KK_KINDS: {
    exit: 3,
    meaning:
      'the CRDs of the operator, or a field of an Environment, come from a kk version that this one does not know',
  },
  KK_SHAPE: {exit: 3, meaning: 'the operator is installed in another topology'},
  KK_OPERATED: {exit: 3, meaning: 'the operator manages the environment'},
  KK_HELD: {exit: 3, meaning: 'another run holds the release'},
  KK_LEASE_LOST: {exit: 1, meaning: 'the lease of the release was lost during the operation'},
  KK_SAVED_PLAN: {exit: 2, meaning: 'a saved plan cannot be read, or another kk wrote it'},
  KK_VERB: {exit: 3, meaning: 'the command does not make such a change; the message names one that does'},
  KK_VERSION: {exit: 3, meaning: 'a downgrade of OpenStack, or a skip of releases that it does not support'},
  KK_MOVED: {exit: 3, meaning: 'the plan is stale: the same command would now do something else'},
  KK_NO_NODE: {exit: 2, meaning: 'the cluster has no node of that name'},
  KK_NODE_ALIVE: {exit: 3, meaning: 'a node whose instances are to start elsewhere may still be running'},
  KK_NODE_NEEDED: {exit: 3, meaning: 'a node may still be running, or others lack the data of its members'},
  KK_NODE_LACKS: {exit: 3, meaning: 'a node lacks something that instances need'},
  KK_NODE_IN_USE: {
    exit: 3,
    meaning: 'instances, gateways, pods or volumes live on a node that is to be removed',
  },
  KK_NO_RUN: {exit: 2, meaning: 'the cluster has no record of such a run'},
  KK_NO_REVISION: {exit: 2, meaning: 'the release never had the revision to roll back to'},
  KK_PRUNED: {exit: 3, meaning: 'helm no longer keeps the revision to roll back to'},
  KK_IN_THE_WAY: {
    exit: 3,
    meaning: 'objects exist that helm would not adopt, so it would fail half way',
  },
  KK_CLAIMED_TWICE: {
    exit: 3,
    meaning: 'two releases would own the same object, or a removal would delete it from the other release',
  },
  KK_API_GONE: {
    exit: 3,
    meaning: 'the record of a release contains objects of an API that the cluster no longer serves',
  },
  KK_TOO_LARGE: {
    exit: 2,
    meaning: 'the record that helm would store of a release does not fit into a Secret',
  },
  KK_UNSTATED: {
    exit: 2,
    meaning: 'a password or key of a service outside the environment is neither specified nor stored',
  },
  KK_MIGRATION: {exit: 3, meaning: 'a rollback would cross the migration of a database'},
  KK_UNCONFIRMED: {exit: 3, meaning: 'the change was not confirmed'},
  KK_NO_OPERATED: {exit: 2, meaning: 'the cluster has no Environment of that name, or no operator'},
  KK_ENVIRONMENT_CYCLE: {exit: 2, meaning: 'the Environments wait for each other in a cycle'},
  KK_NO_GUARD: {exit: 2, meaning: 'the cluster has no guard, or cannot have one'},
  KK_GUARD: {exit: 1, meaning: 'the guard does not work as it should'},
  KK_UNHEALTHY: {exit: 1, meaning: 'a release did not become healthy'},
  KK_CLEANUP: {exit: 1, meaning: 'the data of a release in other services could not be removed'},
  KK_RUN_FAILED: {exit: 1, meaning: 'at least one release failed'},
  KK_REPORT: {exit: 1, meaning: 'the run has ended, but a report of it could not be written'},
  KK_DIRECTORY_IN_USE: {exit: 3, meaning: 'a directory holds files that kk did not write'},
  KK_SERVER: {exit: 1, meaning: 'the overrides server does not answer, or not as kk serve does'},
  KK_STORE: {
    exit: 3,
    meaning: 'the override store belongs to another cluster, or the cluster to another store',
  },
  KK_SECRET: {exit: 3, meaning: 'a secret would be shown, or an override would replace one that kk stores'},
  KK_ROTATION: {
    exit: 3,
    meaning: 'a new value of a secret would lock out its users: no upgrade applies it',
  },
  KK_TLS: {exit: 2, meaning: 'the certificate authority that kk stores cannot be read'},
  KK_STORE_CONFLICT: {exit: 1, meaning: 'another user changed the same overrides in the meantime'},
  KK_STORE_DATABASE: {exit: 1, meaning: 'the database of the override store cannot be used'},
  KK_STORE_KEY: {
    exit: 2,
    meaning: 'the encryption key of the override store is missing, malformed or not the one in use',
  },
  KK_STORE_VERSION: {exit: 2, meaning: 'a newer kk has changed the override store'},
  KK_TOOLBOX: {exit: 2, meaning: 'a binary of the throwaway cluster is missing or cannot be built'},
  KK_AIO: {
    exit: 1,
    meaning: 'the all-in-one node could not be started or ended, or the machine lacks something for it',
  },
  KK_SANDBOX: {exit: 1, meaning: 'the sandbox could not be started, stopped or found'},
  KK_SANDBOX_BROKEN: {
    exit: 3,
    meaning:
      'a sandbox, or the all-in-one node, has stopped; kk does not remove its deployment without a request',
  },
  KK_IMAGE_TOOLS: {exit: 2, meaning: 'a tool for building images is missing, or the user is not root'},
  KK_IMAGE: {exit: 1, meaning: 'an image could not be built, found, pushed or copied'},
  KK_DEPENDENCY: {exit: 2, meaning: 'a DEPENDENCY_* variable of a pod cannot be read'},
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof ERRORS

interface ErrorDetails {
  /** The next step for the user. */
  readonly hint?: string
  /** The exit code if it differs from that of the error code, e.g. after a signal. */
  readonly exit?: ExitCode
  readonly cause?: unknown
  /** The last lines of a child program or a container, already redacted. */
  readonly log?: readonly string[]
  readonly release?: `${string}/${string}`
}

/**
 * An error that users can see: the message gives the expected and actual input and its position, the hint the
 * next step.
 */
export class KkError extends Error {
  override readonly name = 'KkError'
  readonly code: ErrorCode
  readonly exit: ExitCode
  readonly hint: string | undefined
  readonly log: readonly string[]
  /** The release with the pending operation; only set for `KK_PENDING`. */
  readonly release: ErrorDetails['release'] | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, {cause: details.cause})
    this.code = code
    this.exit = details.exit ?? ERRORS[code].exit
    this.hint = details.hint
    this.log = details.log ?? []
    this.release = details.release
  }
}

/**
 * Node's names of file system calls. The call decides, because the error of a program that fails to start
 * also has a path.
 */
const FILE_CALLS =
  /^(?:f?(?:access|chmod|chown|close|lstat|open|read|stat|sync|truncate|utimes?|write)|copyfile|link|mkdir|mkdtemp|opendir|readlink|realpath|rename|rm|rmdir|scandir|symlink|unlink)$/

/** Returns true for a file system error with a path: its cause is outside of kk. */
function isOfFiles(
  error: unknown,
): error is Required<Pick<NodeJS.ErrnoException, 'code' | 'path' | 'syscall'>> {
  if (!(error instanceof Error)) return false
  const {code, path, syscall} = error as NodeJS.ErrnoException
  return code !== undefined && typeof path === 'string' && FILE_CALLS.test(syscall ?? '')
}

/**
 * Returns an error as it is shown to users. An exception that is neither a `KkError` nor of the file system
 * is a bug of kk. It may quote any data, so its message ends at the first word that could be a secret; the
 * stack shows the position.
 */
export function asKkError(error: unknown): KkError {
  if (error instanceof KkError) return error
  if (isOfFiles(error)) {
    return new KkError(
      'KK_FILE',
      `${error.path}: the file system refuses it (${error.code}, ${error.syscall})`,
      {
        cause: error,
        hint: 'correct the path, make room or give permission there, then run the same command again',
      },
    )
  }
  return new KkError('KK_BUG', exceptionText(error), {
    hint: 'this is a bug of kk: please report it with the command that you ran',
  })
}

const MAX_FRAMES = 12
const MAX_CAUSES = 3
const MAX_WORDS = 200
const MAX_LINE = 200

function exceptionText(thrown: unknown): string {
  const texts: string[] = []
  for (let error = thrown; texts.length <= MAX_CAUSES; error = error.cause) {
    if (!(error instanceof Error)) {
      if (texts.length === 0) texts.push(maskedWords(typeof error === 'string' ? error : typeof error))
      break
    }
    const kind = maskedWords(error.name)
    texts.push([`${kind}: ${maskedWords(error.message)}`, ...stackFrames(error)].join('\n'))
  }
  return texts.join('\ncaused by ')
}

/**
 * Marks of strings that may contain a secret: quotes, regular expressions, and words of no language or
 * program.
 */
const QUOTE = /["'`/]/
const WORD = /^[([]?(?:[A-Z]?[a-z]{1,16}(?:[A-Z][a-z]{2,16}){0,3}|[A-Z_]{2,20}|\d{1,3})[)\].,:;!?]*$/

function maskedWords(message: string): string {
  const [plain = ''] = message.slice(0, MAX_WORDS).split(QUOTE, 1)
  const words = plain.split(/\s+/).filter(Boolean)
  const shown = words.map((word) => (WORD.test(word) ? word : '***'))
  return [...shown, ...(plain.length < message.length ? ['***'] : [])].join(' ')
}

/** Returns the frames of the stack, without the message that V8 puts before them. */
function stackFrames({stack = '', message}: Error): string[] {
  const at = message === '' ? -1 : stack.indexOf(message)
  const lines = stack.slice(at === -1 ? 0 : at + message.length).split('\n')
  return lines
    .filter((line) => FRAME.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.replace(/ \[as .*?\]/, '').slice(0, MAX_LINE))
}

const FRAME = /^ {4}at (?:\S+ ){0,3}\(?\S+:\d+:\d+\)?$/
