import {KkError} from '../../base/errors.ts'

/** Throws `KK_USAGE` for an invalid image reference. */
export function expectImage(image: string | undefined): void {
  if (image === undefined || IMAGE.test(image)) return
  throw new KkError('KK_USAGE', `--image ${image || '""'}: this is not a valid image reference`, {
    hint: 'use the syntax of docker, for example: registry.example.org/kk:1',
  })
}

/**
 * github.com/distribution/reference: an optional registry, the name in lower case, and a tag, a digest, or
 * both.
 */
const IMAGE =
  /^([A-Za-z0-9.-]+(:\d+)?\/)?[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*(\/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)*(:[\w][\w.-]{0,127})?(@[a-z0-9]+:[0-9a-f]{32,})?$/
