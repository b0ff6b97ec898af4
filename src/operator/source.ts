import {text} from 'node:stream/consumers'
import {KkError} from '../base/errors.ts'
import {type Descriptor, verified} from '../images/registry/content.ts'
import {openDistribution} from '../images/registry/distribution.ts'
import {parseReference} from '../images/registry/reference.ts'
import {CONFIG_MAPS, SECRETS} from '../kubernetes/api/resources.ts'
import {KK_NAMESPACE} from '../kubernetes/lease/lease.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import {digest} from '../plan/digest.ts'
import type {EnvironmentObject} from './crds/environment.ts'

/** The keys under which objects hold the inputs, unless the Environment says otherwise. */
export const FILE_KEY = 'environment.yaml'
export const OVERRIDES_KEY = 'overrides.yaml'

/** What does not fit into an object of Kubernetes is no environment file; in bytes. */
const LARGEST = 1_048_576

/** The inputs of an Environment, as what it names holds them. */
export interface SourceText {
  /** The environment file. */
  readonly file: string
  /** The document of overrides; undefined if the Environment names none. */
  readonly overrides: string | undefined
}

/** Returns the digest by which people know that the operator has read what they have written. */
export function inputsDigest(source: SourceText, retry: string | undefined): string {
  return digest({...source, retry})
}

/** The objects that decide what is done for an Environment, and where, as `KIND/NAME`. */
export function sourceObjects({spec: {source, overrides, cluster}}: EnvironmentObject): readonly string[] {
  return [
    ...(source.configMap === undefined ? [] : [`ConfigMap/${source.configMap}`]),
    ...(source.secret === undefined ? [] : [`Secret/${source.secret}`]),
    ...(overrides === undefined ? [] : [`Secret/${overrides.secret}`]),
    ...(cluster === undefined ? [] : [`Secret/${cluster.kubeconfigSecret}`]),
  ]
}

/** Reads the inputs of an Environment. Throws `KK_FILE` if an object or its key is missing, and `KK_IMAGE`. */
export async function readSource(
  {spec: {source, overrides}}: Pick<EnvironmentObject, 'spec'>,
  objects: Pick<Objects, 'read'>,
): Promise<SourceText> {
  const file = await fileText(source, objects)
  return {file, overrides: overrides && (await secretText(objects, overrides.secret, OVERRIDES_KEY))}
}

function fileText(
  {configMap, secret, oci, key = FILE_KEY}: EnvironmentObject['spec']['source'],
  objects: Pick<Objects, 'read'>,
): Promise<string> {
  if (oci !== undefined) return artifactText(oci)
  if (secret !== undefined) return secretText(objects, secret, key)
  return configMapText(objects, configMap!, key)
}

/**
 * Reads the one file of an OCI artifact, `registry.example.org/clouds/production@sha256:…`, as whoever is logged in there, or as
 * nobody. Throws `KK_IMAGE`.
 */
async function artifactText(reference: string): Promise<string> {
  const {host, repository, digest} = parseReference(reference)
  const registry = openDistribution({host, env: process.env})
  const manifest = await registry.manifest(repository, digest!)
  if (!manifest) throw unusable(`the registry ${host} does not have ${reference}`)
  const {layers = []} = JSON.parse(manifest.bytes.toString('utf8')) as {layers?: readonly Descriptor[]}
  const [file] = layers
  if (!file || layers.length > 1) throw unusable(`${reference} has ${layers.length} files, and not one`)
  if (file.size > LARGEST) throw unusable(`the file of ${reference} has ${file.size} bytes`)
  return text(verified(await registry.readBlob(repository, file), file, host))
}

function unusable(problem: string): KkError {
  return new KkError('KK_IMAGE', problem, {
    hint: 'push the environment file alone, such as by oras push, and name the digest of what was pushed',
  })
}

async function configMapText(objects: Pick<Objects, 'read'>, name: string, key: string): Promise<string> {
  const found = await objects.read<Holder>(CONFIG_MAPS, {namespace: KK_NAMESPACE, name})
  return found?.data?.[key] ?? missing(`ConfigMap ${name}`, key, found)
}

/** Reads a text of a Secret in `kk-system`. Throws `KK_FILE` if it, or the key, is missing. */
export async function secretText(objects: Pick<Objects, 'read'>, name: string, key: string): Promise<string> {
  const found = await objects.read<Holder>(SECRETS, {namespace: KK_NAMESPACE, name})
  const encoded = found?.data?.[key]
  return encoded === undefined
    ? missing(`Secret ${name}`, key, found)
    : Buffer.from(encoded, 'base64').toString('utf8')
}

interface Holder {
  readonly data?: Readonly<Record<string, string>>
}

function missing(what: string, key: string, found: Holder | undefined): never {
  const problem = found ? `${what} has no key ${key}` : `there is no ${what} in ${KK_NAMESPACE}`
  throw new KkError('KK_FILE', problem, {hint: 'create it, or correct the Environment, which names it'})
}
