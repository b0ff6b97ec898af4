import compare from 'semver/functions/compare.js'
import {KkError} from '../../base/errors.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import {CRDS, type Crd, GROUP, KK_VERSION} from './crd.ts'
import {ENVIRONMENTS} from './environment.ts'
import type {Schema} from './schema.ts'

/** Throws `KK_KINDS` if the cluster serves Environments, but in no version that this kk knows. */
export async function expectServed(apiServer: ApiServer): Promise<void> {
  const {apiVersion, kind} = ENVIRONMENTS
  const served = (await apiServer.customKinds()).filter(
    (each) => each.startsWith(`${GROUP}/`) && each.endsWith(`/${kind}`),
  )
  if (served.length === 0 || served.includes(`${apiVersion}/${kind}`)) return
  throw new KkError(
    'KK_KINDS',
    `the cluster serves Environments as ${served.map((each) => each.slice(0, -kind.length - 1)).join(', ')}, and this kk knows only ${apiVersion}; nothing was changed`,
    {hint: 'use the version of kk that installed the operator'},
  )
}

/** Returns whether a newer kk has written this CustomResourceDefinition, which can then have more fields. */
export async function isNewerInstalled(
  {metadata: {name, labels}}: KubernetesObject,
  objects: Pick<Objects, 'read'>,
): Promise<boolean> {
  const crd = await objects.read<KubernetesObject>(CRDS, {namespace: '', name})
  const installed = crd?.metadata.labels?.[KK_VERSION]
  return installed !== undefined && compare(installed, labels![KK_VERSION]!) > 0
}

/**
 * Throws `KK_KINDS` for an object with fields or values that this kk does not know, of CRDs of a newer kk.
 */
export function expectKnownFields(
  {metadata: {name}, spec}: {readonly metadata: {readonly name: string}; readonly spec: object},
  crd: Crd,
): void {
  const unknown = findUnknown(spec, crd.spec, 'spec')
  if (unknown === undefined) return
  throw new KkError('KK_KINDS', `this kk does not know ${unknown} of the ${crd.kind} ${name}`, {
    hint: 'upgrade the operator to the version of kk that installed its CRDs, or remove the field',
  })
}

/** Returns the path of the first field, or of the first value of an enum, that a schema does not have. */
function findUnknown(value: unknown, schema: Schema, path: string): string | undefined {
  if (schema.type === 'object') {
    for (const [name, each] of Object.entries(value as object)) {
      const field = schema.properties[name]
      const unknown = field ? findUnknown(each, field, `${path}.${name}`) : `${path}.${name}`
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
