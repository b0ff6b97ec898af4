import {dig, digMaps, digText} from '../base/dig.ts'
import {mergeValues} from '../base/merge.ts'
import {isMap, type Values} from '../base/values.ts'

interface Group {
  readonly nodes: {readonly selector: Values} | {readonly hosts: readonly string[]}
  readonly changes: Values
}

/** The length of a group's name in the schema of kk's charts. */
const LONGEST_NAME = 30

/**
 * Returns the values of a release with its groups of nodes as kk's charts read them (`node_groups`) instead
 * of openstack-helm's `conf.overrides.DAEMONSET.labels` and `.hosts`, and `overrides.DAEMONSET.labels`
 * (helm-toolkit: _daemonset_overrides.tpl and _daemonset_overrides_root.tpl); and what is lost.
 */
export function withNodeGroups(
  release: string,
  values: Values,
): {readonly values: Values; readonly lost: readonly string[]} {
  const {conf = {}, overrides = {}, ...others} = values
  const {overrides: ofConf = {}, ...ownConf} = isMap(conf) ? conf : {}
  const groups = [...setsOf(ofConf).flatMap(groupsOfConf), ...setsOf(overrides).flatMap(groupsOfRoot)]
  if (groups.length === 0) return {values, lost: []}
  const named = new Map<string, Values>()
  for (const {nodes, changes} of groups) {
    const name = freeName(nodes, named)
    named.set(name, mergeValues(named.get(name) ?? {}, {...nodes, ...changes}))
  }
  const bySelector = [...named].filter(([, group]) => group['selector'] !== undefined).map(([name]) => name)
  return {
    values: {
      ...others,
      ...(Object.keys(ownConf).length > 0 && {conf: ownConf}),
      node_groups: Object.fromEntries(named),
    },
    lost:
      bySelector.length < 2
        ? []
        : [
            `the order of the groups of ${release}: for a node with several of the labels, the first by name counts, and not the last in the list: ${bySelector.toSorted().join(', ')}`,
          ],
  }
}

/** Returns the overrides of each DaemonSet; a group of kk's applies to all DaemonSets of its chart. */
function setsOf(overrides: unknown): readonly Values[] {
  return isMap(overrides) ? Object.values(overrides).filter(isMap) : []
}

function groupsOfConf(set: Values): readonly Group[] {
  const labels = digMaps(set, 'labels').flatMap((each): readonly Group[] => {
    const key = digText(each, 'label', 'key')
    const values = dig(each, 'label', 'values')
    if (key === undefined || !Array.isArray(values)) return []
    return [
      {
        nodes: {selector: {[key]: values.length === 1 ? String(values[0]) : values.map(String)}},
        changes: changesOf(each, ['conf']),
      },
    ]
  })
  const hosts = digMaps(set, 'hosts').flatMap((each): readonly Group[] => {
    const names = [dig(each, 'name')].flat().filter((name) => typeof name === 'string')
    return names.length === 0 ? [] : [{nodes: {hosts: names}, changes: changesOf(each, ['conf'])}]
  })
  return [...labels, ...hosts]
}

/** The keys of `labels` are `LABEL::VALUE`. */
function groupsOfRoot({labels}: Values): readonly Group[] {
  return Object.entries(isMap(labels) ? labels : {}).map(([label, each]) => {
    const [key = '', value = ''] = label.split('::')
    return {
      nodes: {selector: {[key]: value}},
      changes: changesOf(dig(each, 'values'), ['conf', 'pod', 'images']),
    }
  })
}

function changesOf(values: unknown, places: readonly string[]): Values {
  return Object.fromEntries(
    places.flatMap((place) => {
      const value = dig(values, place)
      return isMap(value) ? [[place, value]] : []
    }),
  )
}

/** Returns a name from the labels or hosts: that of the same nodes, or one that no other group has. */
function freeName(nodes: Group['nodes'], named: ReadonlyMap<string, Values>): string {
  const base = nameOf(nodes)
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base.slice(0, LONGEST_NAME - 3)}-${number}`
    const {selector, hosts} = named.get(name) ?? {}
    if (selector === undefined && hosts === undefined) return name
    if (JSON.stringify(nodes) === JSON.stringify(hosts ? {hosts} : {selector})) return name
  }
}

/** Returns the name of a label without its domain, with its value if that is more than a switch. */
function nameOf(nodes: Group['nodes']): string {
  const words =
    'hosts' in nodes
      ? nodes.hosts
      : Object.entries(nodes.selector).flatMap(([key, value]) => [
          key.replace(/^.*\//, ''),
          ...[value].flat().filter((each) => !/^(?:enabled|true|yes)$/i.test(String(each))),
        ])
  const name = words
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  return name.slice(0, LONGEST_NAME).replaceAll(/^-|-$/g, '') || 'group'
}
