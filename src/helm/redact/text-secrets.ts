import {saysSecret} from './looks-secret.ts'
import {isPlaceholder} from './placeholder.ts'
import {replaceInLines} from './secret-lines.ts'

const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g
/** What ends a word that may be a URL: a blank, or a quote that ends a value; a password may have a quote in it. */
const WORD_END = /(\s|["'](?=[\s,:}\])]))/
const URL_USER = /(?<=:\/\/)[^\s/@:"']*:/
/** Between the hosts of one URL, as in `rabbit://a:secret@one:5672,a:secret@two:5672`. */
const NEXT_HOST = /(?<=@[^@,/]*),(?=[^@,/:]*:)/
/** The password before one of them. */
const BEFORE_HOST = /^([^/@:]*:)(.+)(?=@)/
const ELEMENT = /(<([\w.-]+)>)([^<>]+)(?=<\/\2>)/g
const SQL = /(\bIDENTIFIED BY\s+)('[^']*'|"[^"]*")/gi
/** A word with digits or capitals, not "Bearer authentication". */
const BEARER = /(\bBearer\s+)(?=[a-z.~+/=_-]*[\dA-Z])([\w.~+/=-]{8,})/g
/** A word of a shell, in quotes or not. */
const WORD = String.raw`("[^"]*"|'[^']*'|\S+)`
/** Secret by their place in a command, as in `curl -u nova:secret`, `mysql -psecret`, `rabbitmqctl add_user nova secret`. */
const COMMANDS = [
  String.raw`(\bcurl\s[^|;&\n]{0,300}?(?<=\s)(?:-u|--user)[ =]?["']?[^\s:"']+:)([^\s"']+)`,
  String.raw`(\b(?:mysql|mariadb)[\w-]{0,40}\s[^|;&\n]{0,300}?(?<=\s)-p)(?=\S)${WORD}`,
  String.raw`(\brabbitmqctl\s[^|;&\n]{0,300}?\b(?:add_user|change_password)\s+\S+\s+)${WORD}`,
].map((command) => new RegExp(command, 'g'))

/**
 * The text with its secrets replaced: what follows a key such as `password =` or `"token":` up to the end of its line,
 * or stands in the lines below it, the word after `--password`, passwords of well-known commands and in URLs, tokens after
 * `Bearer`, and private keys. For texts whose secrets are not known.
 */
export function replaceSecrets(text: string, replace: (secret: string) => string): string {
  if (!/[:=]|Bearer\s|-----BEGIN|-\w|<\/|IDENTIFIED BY|rabbitmqctl/i.test(text)) return text
  const after = (_: string, start: string, secret: string) => start + replace(secret)
  const unlessPlaceholder = (whole: string, start: string, secret: string) =>
    isPlaceholder(secret) ? whole : start + replace(secret)
  const inLines = replaceInLines(text.replace(PRIVATE_KEY, replace).split('\n'), replace).join('\n')
  const inCommands = COMMANDS.reduce((known, command) => known.replace(command, unlessPlaceholder), inLines)
  return replaceInUrls(inCommands, replace)
    .replace(SQL, after)
    .replace(ELEMENT, (whole: string, start: string, name: string, secret: string) =>
      saysSecret(name, secret) && !isPlaceholder(secret) ? start + replace(secret) : whole,
    )
    .replace(BEARER, after)
}

/** The passwords of a URL's users stand before the last `@` of its word: a password may have an `@` in it. */
function replaceInUrls(text: string, replace: (secret: string) => string): string {
  if (!text.includes('://')) return text
  return text
    .split(WORD_END)
    .map((word) => {
      const end = word.lastIndexOf('@') + 1
      const start = end === 0 ? -1 : word.slice(0, end).search(URL_USER)
      if (start === -1) return word
      const hosts = word.slice(start, end).split(NEXT_HOST)
      const replaced = hosts.map((host) =>
        host.replace(BEFORE_HOST, (_, user: string, secret: string) => user + replace(secret)),
      )
      return word.slice(0, start) + replaced.join(',') + word.slice(end)
    })
    .join('')
}
