import {createReadStream} from 'node:fs'
import {open, readFile, rename, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {exists} from '../../state/files/exists.ts'
import {makeDirectory} from '../../state/files/make-directory.ts'
import {writeAtomically} from '../../state/files/write-atomically.ts'
import {type ContentStore, type Descriptor, isDigest, type Manifest, sha256} from './content.ts'

/** An entry of `index.json`, with the name of an image among its annotations. */
interface Entry extends Descriptor {
  readonly annotations?: Readonly<Record<string, string>>
}

interface Index {
  readonly schemaVersion: 2
  readonly manifests: readonly Entry[]
}

const NAME = 'org.opencontainers.image.ref.name'

/**
 * Opens an OCI image layout (image-spec: image-layout.md) in a directory: images as files, which skopeo and
 * others also read. It supports one writer at a time; partial files have another name, and are written again.
 */
export function openLayout(directory: string): ContentStore {
  const blobs = join(directory, 'blobs/sha256')
  // The content of a directory from elsewhere may contain invalid digests that would escape it as paths.
  const blobPath = (digest: string) => {
    if (!isDigest(digest)) throw notADigest(digest, directory)
    return join(blobs, digest.slice('sha256:'.length))
  }
  const index = join(directory, 'index.json')

  /** Resolves with the entry of a name; undefined if its file is missing. */
  const find = async (repository: string, reference: string): Promise<Entry | undefined> => {
    const {manifests} = await readIndex(index)
    const wanted = isDigest(reference)
      ? (entry: Entry) => entry.digest === reference
      : (entry: Entry) => entry.annotations?.[NAME] === referenceName(repository, reference)
    const entry = manifests.find(wanted)
    return entry && (await exists(blobPath(entry.digest))) ? entry : undefined
  }
  const store = async (digest: string, bytes: AsyncIterable<Uint8Array> | readonly Uint8Array[]) => {
    await makeDirectory(blobs)
    const partialFile = `${blobPath(digest)}.part`
    await using file = await open(partialFile, 'w')
    await writeFile(file, bytes)
    await file.sync()
    await rename(partialFile, blobPath(digest))
  }

  return {
    name: directory,
    digestOf: async (repository, reference) => (await find(repository, reference))?.digest,
    async manifest(repository, reference) {
      const entry = await find(repository, reference)
      const digest = entry?.digest ?? (isDigest(reference) ? reference : undefined)
      const bytes = digest && (await readIfExists(blobPath(digest)))
      if (!digest || !bytes) return undefined
      if (sha256(bytes) !== digest) throw changed(blobPath(digest))
      return {bytes, digest, mediaType: entry?.mediaType ?? readMediaType(bytes)}
    },
    hasBlob: (_, digest) => exists(blobPath(digest)),
    async readBlob(_, blob) {
      if (!(await exists(blobPath(blob.digest)))) throw changed(blobPath(blob.digest))
      return createReadStream(blobPath(blob.digest))
    },
    writeBlob: async (_, {digest}, read) => store(digest, await read()),
    async writeManifest(repository, {bytes, digest, mediaType}, name) {
      await store(digest, [bytes])
      if (name === undefined) return
      const named = referenceName(repository, name)
      const entry = {mediaType, digest, size: bytes.length, annotations: {[NAME]: named}}
      const otherEntries = (await readIndex(index)).manifests.filter(
        (each) => each.annotations?.[NAME] !== named,
      )
      const manifests = [...otherEntries, entry].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
      const content = {schemaVersion: 2, manifests} satisfies Index
      await writeAtomically(join(directory, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}\n')
      await writeAtomically(index, `${JSON.stringify(content, null, 2)}\n`)
    },
  }
}

function referenceName(repository: string, reference: string): string {
  return `${repository}${isDigest(reference) ? '@' : ':'}${reference}`
}

function sortKey({annotations, digest}: Entry): string {
  return annotations?.[NAME] ?? digest
}

function readMediaType(bytes: Buffer): Manifest['mediaType'] {
  return String((JSON.parse(bytes.toString()) as {mediaType?: string}).mediaType ?? '')
}

async function readIndex(file: string): Promise<Index> {
  const bytes = await readIfExists(file)
  if (!bytes) return {schemaVersion: 2, manifests: []}
  try {
    const {manifests} = JSON.parse(bytes.toString()) as Index
    if (Array.isArray(manifests)) return {schemaVersion: 2, manifests}
  } catch {
    // Reported below.
  }
  throw new KkError('KK_IMAGE', `${file}: expected the index of an OCI image layout`, {
    hint: 'specify another directory, or copy the images there again',
  })
}

function notADigest(digest: string, directory: string): KkError {
  return new KkError('KK_IMAGE', `${JSON.stringify(digest)} in ${directory} is not a digest`, {
    hint: 'expected sha256: and 64 hex digits; create the image, or the directory, again',
  })
}

function changed(file: string): KkError {
  return new KkError('KK_IMAGE', `${file} is missing or has changed`, {
    hint: 'copy the directory again from its source, or run kk images mirror there again',
  })
}

async function readIfExists(file: string): Promise<Buffer | undefined> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
