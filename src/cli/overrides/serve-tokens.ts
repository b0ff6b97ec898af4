import {parseTokens, singleToken, type Tokens} from '../../api/tokens.ts'
import {KkError} from '../../errors.ts'
import {readNamedFile} from '../../state/files/named-file.ts'
import {readByOthersWarning} from '../../state/files/read-by-others.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The tokens that `kk serve` takes: of `--token-file` or `KK_TOKEN_FILE`, or the one of `KK_TOKEN`, which may write.
 * Undefined without any. `say` gets a warning where others can read the file.
 */
export async function servedTokens(
  flag: string | undefined,
  {KK_TOKEN: token, KK_TOKEN_FILE: named}: Environment,
  say: (line: string) => void,
): Promise<Tokens | undefined> {
  if (flag === undefined && token && named) {
    throw new KkError('KK_USAGE', 'KK_TOKEN and KK_TOKEN_FILE are both set: expected one of them')
  }
  const file = flag ?? (named || undefined)
  if (file === undefined) return token ? singleToken(token, 'KK_TOKEN') : undefined
  const warning = readByOthersWarning(file, 'the tokens of the service')
  if (warning !== undefined) say(warning)
  return parseTokens(await readNamedFile(file, {what: `--token-file ${file}`}), file)
}
