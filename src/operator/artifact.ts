import {text} from 'node:stream/consumers'
import {KkError} from '../errors.ts'
import {type Descriptor, verified} from '../images/registry/content.ts'
import {openDistribution} from '../images/registry/distribution.ts'
import {parseReference} from '../images/registry/reference.ts'

/** What does not fit into an object of Kubernetes is no environment file; in bytes. */
const LARGEST = 1_048_576

/**
 * Reads the one file of an OCI artifact, `registry.example.org/clouds/production@sha256:…`, as whoever is logged in there, or as
 * nobody. Throws `KK_IMAGE`.
 */
export async function artifactText(reference: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const {host, repository, digest} = parseReference(reference)
  const registry = openDistribution({host, env})
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
