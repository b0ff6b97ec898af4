import {anyCase} from './any-case.ts'

/**
 * The rules that find secrets inside strings. Each is also a valid pattern of Go's RE2: the charts'
 * templates, which are generated from them (`npm run charts`), keep a file with such a string out of
 * ConfigMaps.
 */

/** A word of a shell, quoted or not. */
const WORD = String.raw`("[^"]*"|'[^']*'|\S+)`
const IN_COMMAND = String.raw`\s(?:[^|;&\n]{0,300}?\s)?`

/** Secrets that are recognized without a key. */
export const KEYLESS_SECRETS = {
  privateKey: '-----BEGIN [A-Z ]*PRIVATE KEY',
  sql: String.raw`(\b${anyCase('IDENTIFIED BY')}\s+)('[^']*'|"[^"]*")`,
  /** A word with digits or capitals, not "Bearer authentication". */
  bearer: String.raw`(\bBearer\s+)([a-z.~+/=_-]{0,3}[\dA-Z][\w.~+/=-]{4,}|[a-z.~+/=_-]{4,}[\dA-Z][\w.~+/=-]*)`,
  /** Addresses that grant access to anyone who knows them. */
  webhook: String.raw`(://(?:hooks\.slack\.com/(?:services|workflows|triggers)/|(?:[\w-]+\.)?discord(?:app)?\.com/api/webhooks/|[\w.-]+\.office\.com/webhookb2/|api\.telegram\.org/bot))([\w%@.:/-]+)`,
} as const
/** A pattern that matches every string that contains one of them, in lower case. */
export const KEYLESS_HINT =
  '-----begin|bearer|identified by|(?:/|\\.)(?:hooks|discord|discordapp|office|api\\.telegram)\\.'
/**
 * A URL with a user's password, up to the last `@` of its word; a password may contain an `@`, a `/` or a
 * quote.
 */
export const URL_PASSWORD = String.raw`://[^\s/@:"']*:(?:[^\s"']|["']+[^\s,:}\])"'])+["']*@`

/** Programs whose command lines may contain a secret. */
export const COMMAND_HINT = 'curl|mysql|mariadb|rabbitmqctl'
/**
 * Secrets by position in a command, as in `curl -u nova:secret`, `mysql -psecret`, `rabbitmqctl add_user nova
 * secret`.
 */
export const COMMANDS = [
  String.raw`(\bcurl${IN_COMMAND}(?:-u|--user)[ =]?["']?[^\s:"']+:)([^\s"']+)`,
  String.raw`(\b(?:mysql|mariadb)[\w-]{0,40}${IN_COMMAND}-p)${WORD}`,
  String.raw`(\brabbitmqctl\s[^|;&\n]{0,300}?\b(?:add_user|change_password)\s+\S+\s+)${WORD}`,
] as const
/** `<password>WORD</password>` */
export const ELEMENT = String.raw`(<([\w.-]+)>)([^<>]+)</`
/** `--db-password WORD`, in commands and lists of words. */
export const FLAG = String.raw`((?:^|[^\w-])--?([A-Za-z][\w-]+)(?:["'],\s*|\s+))("[^"-][^"]*"|'[^'-][^']*'|["']?[^\s"'-]\S*)`
/** `secret "WORD";`, in the syntax of BIND. */
export const BIND_STATEMENT = String.raw`((?:^|[{;])\s*([\w.-]+)\s+)("[^"]*"|'[^']*')\s*(?:;|$)`
/** `password =`, `"token":` and `--db-password=`, with everything up to the value. */
export const ASSIGNMENT = String.raw`([\w.-]+)[\\"']*\s*[:=]\s*`
/** A key at the start of a line, such as in a map below `passwords:`, with its value. */
export const KEY_VALUE_LINE = String.raw`^(["']?([\w.-]+)["']?\s*(?::\s+|:$|=\s*))(.*)$`
/** The name of a variable, before its value on the same line. */
export const NAME_PREFIX = String.raw`\b(?:name|key)["']?\s*:\s*["']?([\w.-]+)["']?\s*,\s*["']?$`
/** The beginning of a reference up to its `key`, on one line. */
export const REFERENCE_BEFORE = String.raw`KeyRef["']?\s*:\s*\{[^}]*$`
/**
 * An entry point of a Python module, as `keystonemiddleware.auth_token:filter_factory` in every
 * api-paste.ini.
 */
export const ENTRY_POINT = String.raw`^[\w.]+:(?:[\w.]*[._])?(?:app|application|factory|main)\b`

/** The start of a line: blanks, and the list marker. */
export const LINE_START = String.raw`^\s*(?:-\s+)?`
/**
 * `password:` followed only by a block indicator or an opening bracket, with everything before the key.
 */
export const BLOCK_HEAD = String.raw`^(\s*(?:-\s+)*)["']?([\w.-]+)["']?\s*[:=]\s*(?:([|>][-+\d]*|[{[])\s*)?(?:#.*)?$`
/** The name of a variable, as pods list them, or a key whose value is on another line. */
export const NAME_LINE = String.raw`^(\s*(?:-\s+)*)["']?(?:name|key)["']?\s*:\s*["']?([\w.-]+)["']?,?\s*$`
export const LISTED_FLAG = String.raw`^\s*-\s+["']?--?([A-Za-z][\w-]+)["']?\s*$`
/** A section of secrets. Other sections contain settings, too: `[token]` of keystone. */
export const SECTION = String.raw`^\s*\[([\w.-]*${anyCase('pass(?:word)?s')})\]\s*$`
/** The word of a list before its secret. */
export const FLAG_WORD = String.raw`^--?([A-Za-z][\w-]+)$`
