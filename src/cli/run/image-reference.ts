import {KkError} from '../../base/errors.ts'

/** Throws `KK_USAGE` for what no reference to an image can be. */
export function expectImage(image: string | undefined): void {
  if (image === undefined || IMAGE.test(image)) return
  throw new KkError('KK_USAGE', `--image ${image || '""'}: it is no reference to an image`, {
    hint: 'as docker takes it, for example: registry.example.org/kk:1',
  })
}

/** distribution/reference: the name in lower case, below a registry if it has one; a tag, a digest, or both. */
const IMAGE =
  /^([A-Za-z0-9.-]+(:\d+)?\/)?[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*(\/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)*(:[\w][\w.-]{0,127})?(@[a-z0-9]+:[0-9a-f]{32,})?$/
