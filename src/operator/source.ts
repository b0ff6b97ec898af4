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

/** The default keys of the inputs in ConfigMaps and Secrets. */
export const FILE_KEY = 'environment.yaml'
export const OVERRIDES_KEY = 'overrides.yaml'

/** The size limit of a ConfigMap, applied to files of registries too. */
const MAX_FILE_BYTES = 1_048_576

/** The inputs of an Environment, read from the objects in its spec. */
export interface SourceText {
  /** The environment file. */
  readonly file: string
  /** The document of overrides; undefined without `spec.overrides`. */
  readonly overrides: string | undefined
}

/** Returns the digest for `status.inputs`, by which a client knows that the operator has read its inputs. */
export function inputsDigest(source: SourceText, retry: string | undefined): string {
  return digest({...source, retry})
}

/** Returns the objects that an Environment refers to, as `KIND/NAME`. */
export function sourceObjects({spec: {source, overrides, cluster}}: EnvironmentObject): readonly string[] {
  return [
    ...(source.configMap === undefined ? [] : [`ConfigMap/${source.configMap}`]),
    ...(source.secret === undefined ? [] : [`Secret/${source.secret}`]),
    ...(overrides === undefined ? [] : [`Secret/${overrides.secret}`]),
    ...(cluster === undefined ? [] : [`Secret/${cluster.kubeconfigSecret}`]),
  ]
}

/**
 * Reads the inputs of an Environment. Throws `KK_FILE` if an object or its key is missing, and `KK_IMAGE`.
 */
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
 * Reads the only file of an OCI artifact, `registry.example.org/clouds/production@sha256:…`, with the
 * credentials of the registry if there are any, else anonymously. Throws `KK_IMAGE`.
 */
async function artifactText(reference: string): Promise<string> {
  const {host, repository, digest} = parseReference(reference)
  const registry = openDistribution({host, env: process.env})
  const manifest = await registry.manifest(repository, digest!)
  if (!manifest) throw unusable(`the registry ${host} does not have ${reference}`)
  const {layers = []} = JSON.parse(manifest.bytes.toString('utf8')) as {layers?: readonly Descriptor[]}
  const [file] = layers
  if (!file || layers.length > 1) throw unusable(`${reference} has ${layers.length} files instead of one`)
  if (file.size > MAX_FILE_BYTES) throw unusable(`the file of ${reference} has ${file.size} bytes`)
  return text(verified(await registry.readBlob(repository, file), file, host))
}

function unusable(problem: string): KkError {
  return new KkError('KK_IMAGE', problem, {
    hint: 'push only the environment file, such as with oras push, and use the digest of the pushed artifact',
  })
}

async function configMapText(objects: Pick<Objects, 'read'>, name: string, key: string): Promise<string> {
  const object = await objects.read<DataObject>(CONFIG_MAPS, {namespace: KK_NAMESPACE, name})
  return object?.data?.[key] ?? missing(`ConfigMap ${name}`, key, object)
}

/** Reads a value of a Secret in `kk-system`. Throws `KK_FILE` if the Secret or the key is missing. */
export async function secretText(objects: Pick<Objects, 'read'>, name: string, key: string): Promise<string> {
  const object = await objects.read<DataObject>(SECRETS, {namespace: KK_NAMESPACE, name})
  const encoded = object?.data?.[key]
  return encoded === undefined
    ? missing(`Secret ${name}`, key, object)
    : Buffer.from(encoded, 'base64').toString('utf8')
}

interface DataObject {
  readonly data?: Readonly<Record<string, string>>
}

function missing(name: string, key: string, object: DataObject | undefined): never {
  const problem = object ? `${name} has no key ${key}` : `there is no ${name} in ${KK_NAMESPACE}`
  throw new KkError('KK_FILE', problem, {hint: 'create it, or correct the Environment that refers to it'})
}
