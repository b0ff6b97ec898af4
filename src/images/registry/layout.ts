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
 * An OCI image layout (image-spec: image-layout.md) in a directory: images as files, which skopeo and others read, too. It is
 * written by one at a time; what is half written has a name of its own, and is written again.
 */
export function openLayout(directory: string): ContentStore {
  const blobs = join(directory, 'blobs/sha256')
  // Manifests, and the index of a directory that was carried here, name what may be no digest, but a way out of it.
  const fileOf = (digest: string) => {
    if (!isDigest(digest)) throw notADigest(digest, directory)
    return join(blobs, digest.slice('sha256:'.length))
  }
  const index = join(directory, 'index.json')

  /** The manifest of a name; undefined where its file is gone. */
  const find = async (repository: string, reference: string): Promise<Entry | undefined> => {
    const {manifests} = await readIndex(index)
    const wanted = isDigest(reference)
      ? (entry: Entry) => entry.digest === reference
      : (entry: Entry) => entry.annotations?.[NAME] === nameOf(repository, reference)
    const entry = manifests.find(wanted)
    return entry && (await exists(fileOf(entry.digest))) ? entry : undefined
  }
  const store = async (digest: string, bytes: AsyncIterable<Uint8Array> | readonly Uint8Array[]) => {
    await makeDirectory(blobs)
    const draft = `${fileOf(digest)}.part`
    await using file = await open(draft, 'w')
    await writeFile(file, bytes)
    await file.sync()
    await rename(draft, fileOf(digest))
  }

  return {
    name: directory,
    digestOf: async (repository, reference) => (await find(repository, reference))?.digest,
    async manifest(repository, reference) {
      const entry = await find(repository, reference)
      const digest = entry?.digest ?? (isDigest(reference) ? reference : undefined)
      const bytes = digest && (await contentOf(fileOf(digest)))
      if (!digest || !bytes) return undefined
      if (sha256(bytes) !== digest) throw changed(fileOf(digest))
      return {bytes, digest, mediaType: entry?.mediaType ?? mediaTypeOf(bytes)}
    },
    hasBlob: (_, digest) => exists(fileOf(digest)),
    async readBlob(_, blob) {
      if (!(await exists(fileOf(blob.digest)))) throw changed(fileOf(blob.digest))
      return createReadStream(fileOf(blob.digest))
    },
    writeBlob: async (_, {digest}, read) => store(digest, await read()),
    async writeManifest(repository, {bytes, digest, mediaType}, name) {
      await store(digest, [bytes])
      if (name === undefined) return
      const named = nameOf(repository, name)
      const entry = {mediaType, digest, size: bytes.length, annotations: {[NAME]: named}}
      const others = (await readIndex(index)).manifests.filter((each) => each.annotations?.[NAME] !== named)
      const manifests = [...others, entry].sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
      const content = {schemaVersion: 2, manifests} satisfies Index
      await writeAtomically(join(directory, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}\n')
      await writeAtomically(index, `${JSON.stringify(content, null, 2)}\n`)
    },
  }
}

function nameOf(repository: string, reference: string): string {
  return `${repository}${isDigest(reference) ? '@' : ':'}${reference}`
}

function textOf({annotations, digest}: Entry): string {
  return annotations?.[NAME] ?? digest
}

function mediaTypeOf(bytes: Buffer): Manifest['mediaType'] {
  return String((JSON.parse(bytes.toString()) as {mediaType?: string}).mediaType ?? '')
}

async function readIndex(file: string): Promise<Index> {
  const bytes = await contentOf(file)
  if (!bytes) return {schemaVersion: 2, manifests: []}
  try {
    const {manifests} = JSON.parse(bytes.toString()) as Index
    if (Array.isArray(manifests)) return {schemaVersion: 2, manifests}
  } catch {
    // Said below.
  }
  throw new KkError('KK_IMAGE', `${file}: expected the index of an OCI image layout`, {
    hint: 'name another directory, or copy the images there anew',
  })
}

function notADigest(digest: string, directory: string): KkError {
  return new KkError('KK_IMAGE', `${JSON.stringify(digest)} is no digest: ${directory} has no place for it`, {
    hint: 'expected sha256: and 64 hex digits; whoever made the image, or the directory, has to make it again',
  })
}

function changed(file: string): KkError {
  return new KkError('KK_IMAGE', `${file} is missing, or not what it was`, {
    hint: 'copy the directory again from where it was made, or run kk images mirror there again',
  })
}

async function contentOf(file: string): Promise<Buffer | undefined> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
