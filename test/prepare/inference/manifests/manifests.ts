import {type Want, wordDigest} from '../../../../src/graph/inference/facts.ts'
import {manifestFacts} from '../../../../src/prepare/inference/manifests/facts-of.ts'

/**
 * What an object in the namespace `openstack` wants, one line each: `ready Service/mariadb`. Hosts are told
 * by their names.
 */
export function wantLines(manifest: string, hosts: readonly string[] = []): readonly string[] {
  return manifestFacts(manifest, 'openstack').wants.flatMap((want) => {
    const target = targetText(want, hosts)
    return target === undefined ? [] : [`${want.kind} ${target}`]
  })
}

/** Undefined for a host that was not asked for. */
function targetText({target}: Want, hosts: readonly string[]): string | undefined {
  if (target.what === 'kind') return `kind ${target.kind}.${target.group}`
  if (target.what === 'link') return `link ${target.variable}`
  if (target.what === 'host') {
    const host = hosts.find((each) => wordDigest(each) === target.digest)
    return host === undefined ? undefined : `host ${host}`
  }
  const place = target.namespace === undefined ? '' : `${target.namespace}/`
  return target.what === 'pods'
    ? `pods ${place}${JSON.stringify(target.labels)}`
    : `${place}${target.kind}/${target.name}`
}

interface PodParts {
  readonly kind?: string
  readonly annotations?: object
  readonly init?: object
  readonly container?: object
  readonly spec?: object
  readonly replicas?: number
}

/** A workload named `api` with one init container and one container, as JSON, which is YAML. */
export function workload({
  kind = 'Deployment',
  annotations,
  init,
  container,
  spec = {},
  replicas,
}: PodParts): string {
  const pod = {
    metadata: {labels: {application: 'api'}},
    spec: {
      ...(init && {initContainers: [{name: 'init', ...init}]}),
      containers: [{name: 'api', ...container}],
      ...spec,
    },
  }
  const template = kind === 'CronJob' ? {jobTemplate: {spec: {template: pod}}} : {template: pod}
  const apiVersion = /Job$/.test(kind) ? 'batch/v1' : 'apps/v1'
  return JSON.stringify({
    apiVersion,
    kind,
    metadata: {name: 'api', ...(annotations && {annotations})},
    spec: {...(replicas !== undefined && {replicas}), ...template},
  })
}

/** Variables of a container: `{DEPENDENCY_SERVICE: 'openstack:mariadb'}`. */
export function env(values: Readonly<Record<string, string>>): object {
  return {env: Object.entries(values).map(([name, value]) => ({name, value}))}
}
