import {readByOthersWarning} from '../../state/files/read-by-others.ts'

/** What is wrong where others than the owner may read the file `KK_STORE_KEY_FILE`; undefined where that is not so. */
export function keyFileWarning({
  KK_STORE_KEY_FILE: file,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  return file ? readByOthersWarning(file, 'the key of the store') : undefined
}
