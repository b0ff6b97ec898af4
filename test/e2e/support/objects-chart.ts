import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {inject} from 'vitest'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {type Corner, emptyCorner} from './corner.ts'
import {type EnvironmentOptions, makeEnvironment, type TestEnvironment} from './environment.ts'

/** Releases that render the objects that they are given, by name. */
export type ObjectsOf = Readonly<
  Record<
    string,
    {readonly objects: readonly object[]; readonly requires?: readonly string[]; readonly timeout?: string}
  >
>

/** A corner whose `env.yaml` has releases of a chart that prints the objects among its values. */
export interface ObjectsCorner extends Omit<Corner, 'kk'> {
  write(file: 'env.yaml' | string, text: string): Promise<string>
  /** Writes `env.yaml`. */
  state(releases: ObjectsOf): Promise<void>
  /** `kk VERB env.yaml ARGS` with the helm of the corner. */
  kk(verb: string, ...args: readonly string[]): ReturnType<Corner['kk']>
  readonly corner: Corner
  readonly env: {readonly KK_HELM: string}
}

export async function objectsCorner(
  releases: ObjectsOf,
  helm: 'helm3' | 'helm4' = 'helm4',
): Promise<ObjectsCorner> {
  const corner = await emptyCorner('objects')
  const env = {KK_HELM: join(inject('run').toolbox, helm)}
  await corner.write('charts/objects/Chart.yaml', 'apiVersion: v2\nname: objects\nversion: 0.1.0\n')
  await corner.write(
    'charts/objects/templates/objects.yaml',
    '{{- range .Values.objects }}\n---\n{{ toYaml . }}\n{{- end }}\n',
  )
  const state = async (stated: ObjectsOf) => {
    const {name, directory} = corner
    const settings = Object.entries(stated).map(([release, {requires = [], timeout = '2m'}]) => [
      release,
      {chart: 'objects', requires, timeout},
    ])
    const sections = Object.entries(stated).map(([release, {objects}]) => [release, {objects}])
    const kk = {
      name,
      namespace: name,
      charts: [join(directory, 'charts')],
      releases: Object.fromEntries(settings),
    }
    await corner.write('env.yaml', JSON.stringify({kk, ...Object.fromEntries(sections)}))
  }
  await state(releases)
  return {
    ...corner,
    corner,
    env,
    state,
    kk: (verb, ...args) => corner.kk([...verb.split(' '), 'env.yaml', ...args], {env}),
  }
}

const ANNOTATION = 'sandbox.kk.openstack.org'

interface PodOptions {
  /** What the sandbox is to do with the pods: `{fail: 'JobFailed'}`. */
  readonly pod?: Readonly<Record<string, string>>
  readonly image?: string
  readonly spec?: object
  readonly annotations?: Readonly<Record<string, string>>
}

function template(
  name: string,
  {pod = {}, image = 'registry.example.org/x:1'}: PodOptions,
  spec: object = {},
) {
  const entries = Object.entries(pod).map(([key, value]) => [`${ANNOTATION}/${key}`, value])
  return {
    metadata: {labels: {app: name}, annotations: Object.fromEntries(entries)},
    spec: {containers: [{name: 'main', image}], ...spec},
  }
}

/** A Job that ends at once, unless `pod` says otherwise, and is not tried again. */
export function job(name: string, {spec, annotations, ...pod}: PodOptions = {}): KubernetesObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {name, ...(annotations && {annotations})},
    spec: {backoffLimit: 0, template: template(name, pod, {restartPolicy: 'Never'}), ...spec},
  }
}

/** A Deployment, StatefulSet, DaemonSet or ReplicaSet. */
export function workload(kind: string, name: string, {spec, ...pod}: PodOptions = {}): KubernetesObject {
  const selector = {matchLabels: {app: name}}
  const more = kind === 'StatefulSet' ? {serviceName: name} : {}
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: {name},
    spec: {selector, template: template(name, pod), ...more, ...spec},
  }
}

/** Writes a chart that renders the objects that its values name, and returns the directory of charts. */
export async function objectsChart(directory: string): Promise<string> {
  const chart = join(directory, 'charts', 'objects')
  await mkdir(join(chart, 'templates'), {recursive: true})
  await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: objects\nversion: 0.1.0\n')
  const template = '{{- range .Values.objects }}\n---\n{{ toYaml . }}\n{{- end }}\n'
  await writeFile(join(chart, 'templates/objects.yaml'), template)
  return join(directory, 'charts')
}

/** An environment whose one release is made of objects; `state` writes others. */
export async function objectsEnvironment(
  release: string,
  objects: readonly object[],
  options: Pick<EnvironmentOptions, 'namespace' | 'helm'>,
): Promise<TestEnvironment & {readonly state: (...objects: readonly object[]) => Promise<void>}> {
  const environment = await makeEnvironment(options)
  const charts = [await objectsChart(environment.directory)]
  const state = (...stated: readonly object[]) =>
    environment.write({kk: {charts, releases: {[release]: {chart: 'objects'}}}, [release]: {objects: stated}})
  await state(...objects)
  return {...environment, state}
}
