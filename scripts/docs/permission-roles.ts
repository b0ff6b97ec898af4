import {
  ROLE_SETS,
  type RoleSet,
  type Rule,
  roleSetVerbs,
  rulesOf,
} from '../../src/kubernetes/permissions/roles.ts'
import {table} from '../../src/table.js'
import {markdownTable} from './marked.ts'

/** The placeholder for the namespace of the releases. */
const RELEASES = 'openstack'

/** The parts of `docs/permissions.md`: the roles of each verb, and their rules. */
export function permissionParts(): Record<string, string> {
  const sets = Object.entries<RoleSet>(ROLE_SETS)
  const listed = new Set<string>()
  const rows = sets.map(([name, set]) => {
    const own = verbs(set).filter((verb) => !listed.has(verb))
    for (const verb of own) listed.add(verb)
    return [own.map((verb) => `\`${verb}\``).join(', '), `\`kk-${name}\``]
  })
  return {
    verbs: markdownTable(['verbs', 'roles'], rows),
    ...Object.fromEntries(sets.map(([name, set]) => [name, `\`\`\`yaml\n${roles(name, set)}\n\`\`\``])),
  }
}

interface RoleFile {
  readonly name: string
  readonly text: string
}

/** The files of `docs/permissions`: the roles of each set, to apply with kubectl. */
export function permissionFiles(): readonly RoleFile[] {
  return Object.entries<RoleSet>(ROLE_SETS).map(([name, set]) => {
    const all = verbs(set).join(', ')
    const head = [
      `# The least roles for: ${all}.`,
      `# Releases are in the namespace ${RELEASES}; kk docs permissions explains how to bind the roles.`,
    ]
    return {name: `kk-${name}.yaml`, text: `${head.join('\n')}\n${roles(name, set)}\n`}
  })
}

/**
 * Returns the commands that a role suffices for; a command that several roles suffice for is in the table
 * once, in the first row.
 */
function verbs(set: RoleSet): readonly string[] {
  return roleSetVerbs(set).filter((verb) =>
    Object.hasOwn(table.commands, verb.replace(/ --.*/, '').replaceAll(' ', ':')),
  )
}

function roles(name: string, set: RoleSet): string {
  const {cluster, 'kk-system': own, release, rendered} = rulesOf(set)
  return [
    role('ClusterRole', `name: kk-${name}`, cluster),
    role('Role', `name: kk-${name}, namespace: kk-system`, own),
    role('Role', `name: kk-${name}, namespace: ${RELEASES}`, release),
    role('Role', `name: kk-${name}-charts, namespace: ${RELEASES}`, rendered),
  ]
    .filter((text) => text !== undefined)
    .join('\n---\n')
}

function role(kind: string, metadata: string, rules: readonly Rule[]): string | undefined {
  if (rules.length === 0) return undefined
  return [
    'apiVersion: rbac.authorization.k8s.io/v1',
    `kind: ${kind}`,
    `metadata: {${metadata}}`,
    'rules:',
    ...rules.flatMap(ruleLines),
  ].join('\n')
}

/** Rules for the same thing have one comment. */
function ruleLines(rule: Rule, index: number, rules: readonly Rule[]): readonly string[] {
  const comment = commentOf(rule)
  const before = rules[index - 1]
  const isSame = before !== undefined && commentOf(before).join() === comment.join()
  return [...(isSame ? [] : comment), ...ruleText(rule)]
}

function commentOf({why, without}: Rule): readonly string[] {
  const end = without.length === 0 ? [] : [`  # optional: without it ${without.join('; ')}`]
  return [`  # ${why.join('; ')}`, ...end]
}

function ruleText({apiGroups, resources, resourceNames, verbs}: Rule): readonly string[] {
  const list = (items: readonly string[]) => `[${items.map((item) => item || '""').join(', ')}]`
  const names = resourceNames === undefined ? [] : [`resourceNames: ${list(resourceNames)}`]
  const fields = [
    `apiGroups: ${list(apiGroups)}`,
    `resources: ${list(resources)}`,
    ...names,
    `verbs: ${list(verbs)}`,
  ]
  const flow = `  - {${fields.join(', ')}}`
  return flow.length <= 120 ? [flow] : fields.map((field, index) => `  ${index === 0 ? '-' : ' '} ${field}`)
}
