/**
 * What is a secret inside a text, and by which signs it is found. Each is a pattern of Go's RE2, too: the charts' templates, which are
 * made of them (`npm run charts`), keep a file with such a text out of ConfigMaps.
 */

/** A word of a shell, in quotes or not. */
const WORD = String.raw`("[^"]*"|'[^']*'|\S+)`
const IN_COMMAND = String.raw`\s(?:[^|;&\n]{0,300}?\s)?`

/** What is secret wherever it stands. */
export const ALONE = {
  privateKey: '-----BEGIN [A-Z ]*PRIVATE KEY',
  sql: String.raw`(\b(?i:IDENTIFIED BY)\s+)('[^']*'|"[^"]*")`,
  /** A word with digits or capitals, not "Bearer authentication". */
  bearer: String.raw`(\bBearer\s+)([a-z.~+/=_-]{0,3}[\dA-Z][\w.~+/=-]{4,}|[a-z.~+/=_-]{4,}[\dA-Z][\w.~+/=-]*)`,
  /** Addresses that let in whoever knows them. */
  webhook: String.raw`(://(?:hooks\.slack\.com/(?:services|workflows|triggers)/|(?:[\w-]+\.)?discord(?:app)?\.com/api/webhooks/|[\w.-]+\.office\.com/webhookb2/|api\.telegram\.org/bot))([\w%@.:/-]+)`,
} as const
/** What is in each text that has one of them, in lower case. */
export const ALONE_HINT =
  '-----begin|bearer|identified by|(?:/|\\.)(?:hooks|discord|discordapp|office|api\\.telegram)\\.'
/** A URL with a user's password, up to the last `@` of its word; a password may have an `@`, a `/` or a quote in it. */
export const URL_PASSWORD = String.raw`://[^\s/@:"']*:(?:[^\s"']|["']+[^\s,:}\])"'])+["']*@`

/** Programs whose commands may have one. */
export const COMMAND_HINT = 'curl|mysql|mariadb|rabbitmqctl'
/** Secret by their place in a command, as in `curl -u nova:secret`, `mysql -psecret`, `rabbitmqctl add_user nova secret`. */
export const COMMANDS = [
  String.raw`(\bcurl${IN_COMMAND}(?:-u|--user)[ =]?["']?[^\s:"']+:)([^\s"']+)`,
  String.raw`(\b(?:mysql|mariadb)[\w-]{0,40}${IN_COMMAND}-p)${WORD}`,
  String.raw`(\brabbitmqctl\s[^|;&\n]{0,300}?\b(?:add_user|change_password)\s+\S+\s+)${WORD}`,
] as const
/** `<password>WORD</password>` */
export const ELEMENT = String.raw`(<([\w.-]+)>)([^<>]+)</`
/** `--db-password WORD`, as commands and lists of words have it. */
export const FLAG = String.raw`((?:^|[^\w-])--?([A-Za-z][\w-]+)(?:["'],\s*|\s+))("[^"-][^"]*"|'[^'-][^']*'|["']?[^\s"'-]\S*)`
/** `secret "WORD";`, as BIND has it. */
export const STATEMENT = String.raw`((?:^|[{;])\s*([\w.-]+)\s+)("[^"]*"|'[^']*')\s*(?:;|$)`
/** `password =`, `"token":` and `--db-password=`, with what comes before the value. */
export const ASSIGNMENT = String.raw`([\w.-]+)[\\"']*\s*[:=]\s*`
/** A key of its own, such as in a map below `passwords:`, with what follows it. */
export const KEYED = String.raw`^(["']?([\w.-]+)["']?\s*(?::\s+|:$|=\s*))(.*)$`
/** The name of a variable that stands on the same line. */
export const NAME_BEFORE = String.raw`\b(?:name|key)["']?\s*:\s*["']?([\w.-]+)["']?\s*,\s*["']?$`
/** Before the `key` of a reference that stands on one line. */
export const REFERENCE_BEFORE = String.raw`KeyRef["']?\s*:\s*\{[^}]*$`
/** A name that a Python module offers, as `keystonemiddleware.auth_token:filter_factory` in every api-paste.ini. */
export const ENTRY_POINT = String.raw`^[\w.]+:(?:[\w.]*[._])?(?:app|application|factory|main)\b`

/** What a line begins with: blanks, and the sign of an item. */
export const BEFORE_CONTENT = String.raw`^\s*(?:-\s+)?`
/** `password:` and nothing more in its line but the sign of a block text, or a bracket; with all that stands before the key. */
export const OPENING = String.raw`^(\s*(?:-\s+)*)["']?([\w.-]+)["']?\s*[:=]\s*(?:([|>][-+\d]*|[{[])\s*)?(?:#.*)?$`
/** The name of a variable, as pods list them, or a key whose value stands apart. */
export const NAMED = String.raw`^(\s*(?:-\s+)*)["']?(?:name|key)["']?\s*:\s*["']?([\w.-]+)["']?,?\s*$`
export const LISTED_FLAG = String.raw`^\s*-\s+["']?--?([A-Za-z][\w-]+)["']?\s*$`
/** Other sections have settings, too: `[token]` of keystone. */
export const SECTION = String.raw`^\s*\[([\w.-]*(?i:pass(?:word)?s))\]\s*$`
/** The word of a list before its secret. */
export const FLAG_WORD = String.raw`^--?([A-Za-z][\w-]+)$`
