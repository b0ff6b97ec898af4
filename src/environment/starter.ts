import {dumpPython, plainMap} from '../yaml/pyyaml/dump.ts'
import {ENVIRONMENT_SCHEMA} from './schema.ts'

/** What a new environment is to say. */
export interface Starter {
  readonly name: string
  readonly namespace: string
  /** The kubeconfig context that it is tied to, if any. */
  readonly context: string | undefined
  /** Whether nothing outlives its pod. */
  readonly ephemeral: boolean
  /** The charts whose releases are wanted. */
  readonly services: readonly string[]
}

/** The file of the schema, which stands beside the environment. */
export const SCHEMA_FILE = 'environment.schema.json'

/** Returns the JSON Schema of environment files, as editors read it. */
export function schemaText(): string {
  return `${JSON.stringify(ENVIRONMENT_SCHEMA, undefined, 2)}\n`
}

/** What git is not to see beside an environment. */
export const IGNORED = ['/secrets/', '*.secrets.yaml', 'passwords.yml', '*.kubeconfig'] as const

/** Returns an environment file with comments; charts that are not wanted, by name with what they are, stand in comments. */
export function starterText(
  {name, namespace, context, ephemeral, services}: Starter,
  charts: ReadonlyMap<string, string>,
): string {
  const others = [...charts].filter(([chart]) => !services.includes(chart))
  const width = Math.max(0, ...others.map(([chart]) => chart.length))
  return `# yaml-language-server: $schema=${SCHEMA_FILE}
# What this cloud is to be. "kk graph" shows what it means, "kk plan" what would be done, and "kk deploy" does it.

# kk's own settings; they go to no release.
kk:
  # Releases belong to the environment of this name: it stays when the file moves.
  ${entry('name', name)}
  # The namespace of all releases that state none in "releases".
  ${entry('namespace', namespace)}
  # The kubeconfig context of this cloud's cluster: kk refuses every other.
  ${context === undefined ? '# context: production' : entry('context', context)}
  # Where charts are found; the first source that has a chart wins.
  charts: [built-in]
  # Settings of single releases: their namespace, what they require beside what their charts say, their time limit.
  # releases:
  #   ${services[0] ?? 'keystone'}: {timeout: 20m}

# Values for every release. Passwords do not belong here: those that nobody states kk makes, and keeps in the cluster
# ("kk secrets list"). One that has to be a certain one goes into a file such as secrets/keystone.yaml, which git does not
# see: --values keystone=secrets/keystone.yaml
global:
  storage:
    # true: nothing outlives its pod. false: databases and the like have volumes of the default storage class.
    ${entry('ephemeral', ephemeral)}

# A section is a release that is wanted, with its values. What it requires comes along.
${services.map((each) => `# ${charts.get(each) ?? each}\n${each}: {}\n`).join('\n')}${
  others.length === 0
    ? ''
    : `\n# Not wanted, or only where something requires it:\n${others.map(([chart, what]) => `# ${`${chart}: {}`.padEnd(width + 4)}  # ${what}\n`).join('')}`
}`
}

/** Returns one line of YAML, with quotes around words that YAML would read as something else. */
function entry(key: string, value: string | boolean): string {
  return dumpPython(plainMap({[key]: value})).trimEnd()
}
