import compare from 'semver/functions/compare.js'
import {KkError} from '../../base/errors.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import {CRDS, GROUP, KK_VERSION} from './crd.ts'
import {ENVIRONMENT, ENVIRONMENTS, type EnvironmentObject} from './environment.ts'
import type {Schema} from './schema.ts'

/** Throws `KK_KINDS` where the cluster serves Environments, but in no version that this kk knows. */
export async function expectServed(apiServer: ApiServer): Promise<void> {
  const {apiVersion, kind} = ENVIRONMENTS
  const served = (await apiServer.customKinds()).filter(
    (each) => each.startsWith(`${GROUP}/`) && each.endsWith(`/${kind}`),
  )
  if (served.length === 0 || served.includes(`${apiVersion}/${kind}`)) return
  throw new KkError(
    'KK_KINDS',
    `the cluster has Environments of ${served.map((each) => each.slice(0, -kind.length - 1)).join(', ')}, and this kk knows ${apiVersion} alone; nothing was changed`,
    {hint: 'another kk has installed the operator: use that one'},
  )
}

/** Returns whether a newer kk has written the CustomResourceDefinition of this name: it may have fields that the own one has not. */
export async function isNewerInstalled(
  {metadata: {name, labels}}: KubernetesObject,
  objects: Pick<Objects, 'read'>,
): Promise<boolean> {
  const found = await objects.read<KubernetesObject>(CRDS, {namespace: '', name})
  const there = found?.metadata.labels?.[KK_VERSION]
  return there !== undefined && compare(there, labels![KK_VERSION]!) > 0
}

/** Throws `KK_KINDS` for an Environment that says what this kk does not know: a newer one has written the kinds. */
export function expectKnownFields({metadata: {name}, spec}: EnvironmentObject): void {
  const unknown = findUnknown(spec, ENVIRONMENT.spec, 'spec')
  if (unknown === undefined) return
  throw new KkError('KK_KINDS', `this kk does not know ${unknown} of the Environment ${name}`, {
    hint: 'bring the operator up to the kk that has installed its kinds, or leave it out',
  })
}

/** Returns what a schema does not allow of a value: a field, or the value of one, by its path. */
function findUnknown(value: unknown, schema: Schema, path: string): string | undefined {
  if (schema.type === 'object') {
    for (const [name, each] of Object.entries(value as object)) {
      const known = schema.properties[name]
      const unknown = known ? findUnknown(each, known, `${path}.${name}`) : `${path}.${name}`
      if (unknown !== undefined) return unknown
    }
  }
  if (schema.type === 'array') {
    for (const each of value as readonly unknown[]) {
      const unknown = findUnknown(each, schema.items, `${path}[]`)
      if (unknown !== undefined) return unknown
    }
  }
  if (schema.type !== 'string' || !schema.enum || schema.enum.includes(value as string)) return undefined
  return `${path}: ${value}`
}
