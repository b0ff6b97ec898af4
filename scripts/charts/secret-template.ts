import {MAX_KEY_LENGTH, SECRET_RULE} from '../../src/redact/looks-secret.ts'
import {NO_SECRET_WORD, PLACEHOLDER} from '../../src/redact/placeholder.ts'
import {REFERENCE, SECRET_NAME} from '../../src/redact/secret-names.ts'
import {
  ASSIGNMENT,
  BIND_STATEMENT,
  BLOCK_HEAD,
  COMMAND_HINT,
  COMMANDS,
  ELEMENT,
  ENTRY_POINT,
  FLAG,
  FLAG_WORD,
  KEY_VALUE_LINE,
  KEYLESS_HINT,
  KEYLESS_SECRETS,
  LINE_START,
  LISTED_FLAG,
  NAME_LINE,
  NAME_PREFIX,
  REFERENCE_BEFORE,
  SECTION,
  URL_PASSWORD,
} from '../../src/redact/text-rule.ts'
import {wrapComments} from '../comments.ts'

const HEAD = `Made by \`npm run charts\` of the options that oslo.config knows (\`options\`) and of the rule by which kk masks secrets`

/**
 * The names of options that oslo.config marks secret, and of those that it knows as not secret, if the rule
 * differs.
 */
export interface OptionNames {
  readonly secret: readonly string[]
  readonly settings: readonly string[]
}

/** Returns the module of kk with the lists. */
export function secretOptionsModule({secret, settings}: OptionNames): string {
  const lines = (names: readonly string[]) => names.map((name) => `  '${name}',\n`).join('')
  return wrapComments(`/**
 * ${HEAD}:
 * the names of secret options that the rule does not recognize.
 */
export const SECRET_OPTIONS: ReadonlySet<string> = new Set([
${lines(secret)}])

/**
 * The options that the rule takes for secret, and that are not: by section, and \`*.OPTION\` for a line whose
 * section is unknown.
 */
export const NOT_SECRET_OPTIONS: ReadonlySet<string> = new Set([
${lines(settings)}])
`)
}

/** Returns the library chart's template with the lists, and the same rule. */
export function secretOptionsTemplate(names: OptionNames): string {
  return `{{- /*
${HEAD}.
No output means no secret.
*/ -}}
${[valueTemplate(names), NAMES, nameTemplate(names), textTemplate(names), lineTemplate(names), linesTemplate(names), INSIDE].join('\n')}`
}

const NO_VALUE = 'dict'

function valueTemplate({secret}: OptionNames): string {
  const hints = [nameHint(secret), KEYLESS_HINT, COMMAND_HINT, '://[^@\\n]*@'].join('|')
  const hinted = `(?m)^.*(?:${hints}|(?:^|")(?:${inSections(secret)})"?[ :]).*$`
  const named = `(?m)^.*(?:${nameHint(secret)}).*$|^(?:${inSections(secret)}) $`
  return `
{{- /*
True if .value, below the key .name, is a secret or contains one: checks the entries of maps and lists, and the lines of a
string. Below a secret key (.within) everything is secret, except settings and references.
*/ -}}
{{- define "common.config.secret" -}}
{{- if kindIs "map" .value -}}
{{- /* Patterns are slow: one match over all entries leaves few. */ -}}
{{- $lines := list -}}
{{- range $key, $value := .value -}}{{- $lines = append $lines (printf "%s %s" $key (toJson $value)) -}}{{- end -}}
{{- $hinted := regexFindAll ${go(hinted)} (join "\\n" $lines | lower) -1 -}}
{{- $named := list -}}
{{- if $hinted -}}{{- $named = regexFindAll ${go(named)} (keys .value | join " \\n" | lower | printf "%s ") -1 -}}{{- end -}}
{{- range $key, $value := .value -}}
{{- if or $.within (eq $key "value") (has (printf "%s %s" $key (toJson $value) | lower) $hinted) -}}
{{- $asked := dict "name" $key "section" $.name "value" $value "hinted" true -}}
{{- if and (eq $key "value") (kindIs "string" $.value.name) -}}
{{- $asked = dict "name" $.value.name "section" "" "value" $value -}}
{{- end -}}
{{- $said := "" -}}
{{- if or $.within (eq $key "value") (has (lower $key | printf "%s ") $named) -}}
{{- $said = include "common.config.secret.name" $asked -}}
{{- end -}}
{{- if and (eq $key "value") (kindIs "string" $.value.key) -}}
{{- $said = include "common.config.secret.name" (dict "name" $.value.key "section" "" "value" ${NO_VALUE}) -}}
{{- end -}}
{{- if and (eq $key "key") (or (hasKey $.value "operator") (hasKey $.value "path")) -}}
{{- $said = "" -}}
{{- end -}}
{{- if and (eq $said "true") (has $key (list "secrets" "keyrings")) (kindIs "map" $value) -}}
{{- $names := "" -}}
{{- range $value -}}
{{- $names = ternary $names "other" (or (eq $key "keyrings") (kindIs "map" .)) -}}
{{- $names = printf "%s%s" $names (include "common.config.secret.names" .) -}}
{{- end -}}
{{- if and $value (not $names) }}{{ $said = "" }}{{ end -}}
{{- end -}}
{{- $within := eq $said "true" -}}
{{- if $.within -}}
{{- $within = or $within (not (or (eq $said "never") ${matches(SECRET_RULE.setting, `(${words('$key')})`)})) -}}
{{- end -}}
{{- if and $within ${matches(REFERENCE, '(printf "%s.%s" $.name $key)')} -}}
{{- $within = false -}}
{{- end -}}
{{- include "common.config.secret" (dict "name" $key "value" $value "within" $within) -}}
{{- end -}}
{{- end -}}
{{- else if kindIs "slice" .value -}}
{{- $before := "" -}}
{{- range .value -}}
{{- $within := $.within -}}
{{- if and (kindIs "string" .) ${matches(FLAG_WORD, '$before')} -}}
{{- if not ${matches(`^-|${NO_SECRET_WORD}`, '.')} -}}
{{- $said := include "common.config.secret.name" (dict "name" (trimPrefix "-" $before | trimPrefix "-") "section" "" "value" ${NO_VALUE}) -}}
{{- $within = or $within (eq $said "true") -}}
{{- end -}}
{{- end -}}
{{- include "common.config.secret" (dict "name" $.name "value" . "within" $within) -}}
{{- $before = toString . -}}
{{- end -}}
{{- else if kindIs "string" .value -}}
{{- if and .within (ne .value "") -}}true{{- else -}}{{- include "common.config.secret.text" .value -}}{{- end -}}
{{- else if and .within (not (kindIs "bool" .value)) (not (kindIs "invalid" .value)) -}}
true
{{- end -}}
{{- end -}}
`
}

/** As `holdsNames`. */
const NAMES = `
{{- /* Empty for the name of a Secret, and for a map of such names. */ -}}
{{- define "common.config.secret.names" -}}
{{- if kindIs "map" . -}}
{{- range . }}{{ include "common.config.secret.names" . }}{{ end -}}
{{- else if or (not (kindIs "string" .)) (not ${matches(SECRET_NAME, '(toString .)')}) -}}
other
{{- end -}}
{{- end -}}
`

function nameTemplate({secret, settings}: OptionNames): string {
  const {form, section, policy, authorization, keyFile, file, longWord} = SECRET_RULE
  return `
{{- /* True if .value is secret by its .name (in .section; * in a string), "never" if it is not even one below a secret. */ -}}
{{- define "common.config.secret.name" -}}
{{- if or .hinted ${matches(`${nameHint(secret)}|^(?:${inSections(secret)})$`, '(lower .name)')} -}}
{{- $text := ternary .value "" (kindIs "string" .value) -}}
{{- $option := replace "-" "_" .name -}}
{{- $place := ternary $option (printf "%s.%s" .section $option) (eq .section "") -}}
{{- $secret := list ${secret.map(go).join(' ')} -}}
{{- $settings := list ${settings.map(go).join(' ')} -}}
{{- $words := ${words('.name')} -}}
{{- $stem := regexReplaceAll ${go(form)} $words "" -}}
{{- if or (has $place $settings) (and (contains ":" $text) ${matches(policy, '$text')}) -}}
never
{{- else if hasSuffix "authorization" $words -}}
{{- if ${matches(authorization, '$text')} -}}true{{- end -}}
{{- else if and (or (has $option $secret) (has $place $secret)) (not (contains "://" $text)) (or (not (kindIs "map" .value)) (eq (get (ternary .value dict (kindIs "map" .value)) "type" | toString) "multistring")) -}}
true
{{- else if and (eq $words "private") ${matches(longWord, '$text')} (regexMatch "[0-9]" $text) (regexMatch "[A-Za-z]" $text) -}}
true
{{- else if and ${matches(SECRET_RULE.secret, '$stem')} (not ${matches(`${SECRET_RULE.setting}`, '$stem')}) (not (and (hasSuffix "PWD" .name) ${matches(SECRET_RULE.workingDirectory, '.name')})) -}}
{{- $isSection := and (or (kindIs "map" .value) (kindIs "slice" .value)) ${matches(section, '$words')} -}}
{{- $isFile := and (contains "/" $text) ${matches(keyFile, '$stem')} ${matches(file, '$text')} -}}
{{- if not (or $isSection $isFile) -}}true{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
`
}

function textTemplate({secret}: OptionNames): string {
  const hint = `${nameHint(secret)}|${COMMAND_HINT}`
  return `
{{- /* True if a string contains a secret. */ -}}
{{- define "common.config.secret.text" -}}
{{- $text := . -}}
{{- if and (contains "://" .) (contains "@" .) ${matches(URL_PASSWORD, '.')} -}}
true
{{- else if and ${matches(KEYLESS_HINT, '(lower .)')} ${matches(Object.values(KEYLESS_SECRETS).join('|'), '.')} -}}
true
{{- else if ${matches(hint, '(lower .)')} -}}
{{- $patterns := ternary (dict ${go(ELEMENT)} "\${2}") dict (contains "</" .) -}}
{{- if ${matches(COMMAND_HINT, '.')} -}}
{{- $patterns = merge $patterns (dict ${COMMANDS.map((command) => `${go(command)} "password"`).join(' ')}) -}}
{{- end -}}
{{- range $pattern, $name := $patterns -}}
{{- range $found := regexFindAll $pattern $text -1 -}}
{{- $value := regexReplaceAll $pattern $found (ternary "\${2}" "\${3}" (eq $name "password")) -}}
{{- $said := include "common.config.secret.name" (dict "name" (regexReplaceAll $pattern $found $name) "section" "*" "value" $value) -}}
{{- if and (eq $said "true") (not ${matches(PLACEHOLDER, '$value')}) -}}true{{- end -}}
{{- end -}}
{{- end -}}
{{- if contains "\\n" . -}}
{{- include "common.config.secret.lines" . -}}
{{- else -}}
{{- include "common.config.secret.line" . -}}
{{- end -}}
{{- end -}}
{{- end -}}
`
}

function lineTemplate({secret}: OptionNames): string {
  return `
{{- /* True if a line has a secret behind a flag or a key. */ -}}
{{- define "common.config.secret.line" -}}
{{- if ${matches(nameHint(secret), '(lower .)')} -}}
{{- $line := . -}}
{{- range $pattern := list ${go(FLAG)} ${go(BIND_STATEMENT)} -}}
{{- range $found := regexFindAll $pattern $line -1 -}}
{{- $word := regexReplaceAll $pattern $found "\${3}" -}}
{{- $said := include "common.config.secret.name" (dict "name" (regexReplaceAll $pattern $found "\${2}") "section" "*" "value" $word) -}}
{{- if and (eq $said "true") (not ${matches(NO_SECRET_WORD, '$word')}) -}}true{{- end -}}
{{- end -}}
{{- end -}}
{{- $seen := "" -}}
{{- $rest := . -}}
{{- range $found := regexFindAll ${go(ASSIGNMENT)} . -1 -}}
{{- $parts := splitn $found 2 $rest -}}
{{- $rest = $parts._1 -}}
{{- $before := printf "%s%s" $seen $parts._0 | trunc -300 -}}
{{- $seen = printf "%s%s" $before $found -}}
{{- $key := regexFind "^[[:word:].-]+" $found -}}
{{- $said := "" -}}
{{- if eq $key "value" -}}
{{- $name := regexReplaceAll ${go(NAME_PREFIX)} (regexFind ${go(NAME_PREFIX)} $before) "\${1}" -}}
{{- $said = include "common.config.secret.name" (dict "name" $name "section" "" "value" ${NO_VALUE}) -}}
{{- else -}}
{{- $said = include "common.config.secret.name" (dict "name" $key "section" "*" "value" $rest) -}}
{{- end -}}
{{- if and (contains "." $key) (ne $said "true") -}}
{{- $above := "" -}}
{{- range $part := splitList "." $key -}}
{{- $value := ternary $rest ${NO_VALUE} (hasSuffix (printf ".%s" $part) $key) -}}
{{- $name := include "common.config.secret.name" (dict "name" $part "section" $above "value" $value) -}}
{{- $below := and (eq $said "true") (ne $name "never") (not ${matches(SECRET_RULE.setting, `(${words('$part')})`)}) -}}
{{- $said = ternary "true" "" (or $below (eq $name "true")) -}}
{{- $above = $part -}}
{{- end -}}
{{- end -}}
{{- if and (eq $said "true") $rest (not ${matches(PLACEHOLDER, '$rest')}) -}}
{{- $isEntryPoint := and (contains "." $key) ${matches(ENTRY_POINT, '(printf "%s%s" $found $rest)')} -}}
{{- if not (or $isEntryPoint ${matches(REFERENCE_BEFORE, '$before')}) -}}true{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
`
}

function linesTemplate({secret}: OptionNames): string {
  return `
{{- /* True if any line has a secret, or opens one for the lines below it. */ -}}
{{- define "common.config.secret.lines" -}}
{{- $open := dict "kind" "" "indent" 0 "key" "" -}}
{{- range $line := splitList "\\n" . -}}
{{- if or $open.kind ${matches(nameHint(secret), '(lower $line)')} -}}
{{- $before := regexFind ${go(LINE_START)} $line -}}
{{- $content := trimPrefix $before $line -}}
{{- if $content -}}
{{- $inside := include "common.config.secret.inside" (dict "open" $open "before" $before "content" $content) -}}
{{- if eq $inside "true" -}}
true
{{- else if not $inside -}}
{{- include "common.config.secret.line" $line -}}
{{- include "common.config.secret.open" (dict "open" $open "line" $line) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Sets .open if a line opens a secret, and clears it otherwise. */ -}}
{{- define "common.config.secret.open" -}}
{{- $_ := set .open "kind" "" -}}
{{- range $kind, $pattern := dict "flag" ${go(LISTED_FLAG)} "section" ${go(SECTION)} "named" ${go(NAME_LINE)} "below" ${go(BLOCK_HEAD)} -}}
{{- if and (not $.open.kind) (regexMatch $pattern $.line) -}}
{{- $isApart := has $kind (list "below" "named") -}}
{{- $key := regexReplaceAll $pattern $.line (ternary "\${2}" "\${1}" $isApart) -}}
{{- $reference := and (eq $kind "below") (hasSuffix "KeyRef" $key) -}}
{{- $value := ternary "" ${NO_VALUE} (eq $kind "below") -}}
{{- $said := include "common.config.secret.name" (dict "name" $key "section" "*" "value" $value) -}}
{{- if or $reference (eq $kind "section") (eq $said "true") -}}
{{- $isBlock := and (eq $kind "below") (regexMatch "^[|>]" (regexReplaceAll $pattern $.line "\${3}")) -}}
{{- $_ := set $.open "kind" (ternary "reference" (ternary "block" $kind $isBlock) $reference) -}}
{{- $_ := set $.open "indent" (regexReplaceAll $pattern $.line "\${1}" | len) -}}
{{- $_ := set $.open "key" $key -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
`
}

const INSIDE = `
{{- /* True if a line is a secret because of .open, "inside" if it belongs to .open and is none. */ -}}
{{- define "common.config.secret.inside" -}}
{{- $open := .open -}}
{{- $isKeyed := ${matches(KEY_VALUE_LINE, '.content')} -}}
{{- $key := ternary (regexReplaceAll ${go(KEY_VALUE_LINE)} .content "\${2}") "" $isKeyed -}}
{{- $rest := ternary (regexReplaceAll ${go(KEY_VALUE_LINE)} .content "\${3}") "" $isKeyed -}}
{{- $isDeeper := gt (len .before) (int $open.indent) -}}
{{- $isPlaceholder := ${matches(PLACEHOLDER, '$rest')} -}}
{{- if eq $open.kind "flag" -}}
{{- if not ${matches(`^-|${NO_SECRET_WORD}`, '.content')} -}}true{{- end -}}
{{- else if eq $open.kind "section" -}}
{{- if and $isKeyed (not (hasPrefix "[" .content)) -}}{{- ternary "inside" "true" $isPlaceholder -}}{{- end -}}
{{- else if eq $open.kind "named" -}}
{{- if and (eq $key "value") (eq (len .before) (int $open.indent)) -}}
{{- $_ := set $open "kind" (ternary "block" "" (regexMatch "^[|>]|^$" $rest)) -}}
{{- ternary "inside" "true" $isPlaceholder -}}
{{- end -}}
{{- else if and $isDeeper (eq $open.kind "block") -}}
true
{{- else if and $isDeeper (eq $open.kind "reference") -}}
{{- if and $isKeyed ${matches(REFERENCE, '(printf "%s.%s" $open.key $key)')} -}}inside{{- end -}}
{{- else if and $isDeeper (eq $open.kind "below") -}}
{{- if not $isKeyed -}}
true
{{- else if eq "true" (include "common.config.secret.name" (dict "name" $open.key "section" "*" "value" dict)) -}}
{{- $isSetting := ${matches(SECRET_RULE.setting, `(${words('$key')})`)} -}}
{{- $isReference := ${matches(REFERENCE, '(printf "%s.%s" $open.key $key)')} -}}
{{- $isName := and (has $open.key (list "secrets" "keyrings")) ${matches(SECRET_NAME, '$rest')} -}}
{{- ternary "inside" "true" (or $isPlaceholder $isSetting $isReference $isName) -}}
{{- end -}}
{{- end -}}
{{- end -}}
`

/** The words of a key, in a template. */
function words(key: string): string {
  return SECRET_RULE.words
    .reduce((text, [pattern, by]) => `regexReplaceAll ${go(pattern)} (${text}) ${go(by)}`, key)
    .concat(` | lower | trunc -${MAX_KEY_LENGTH}`)
}

/** A pattern for secret names, as short as possible, because compiling it costs most. */
function nameHint(names: readonly string[]): string {
  const others = names.filter((name) => !name.includes('.') && !new RegExp(SECRET_RULE.hint).test(name))
  const shortest = others.filter((name) => !others.some((each) => each !== name && name.includes(each)))
  return [SECRET_RULE.hint, ...shortest.map((name) => name.replaceAll('_', '[_-]'))].join('|')
}

/** A pattern for options that are secret only in one section. */
function inSections(names: readonly string[]): string {
  const options = names.filter((name) => name.includes('.')).map((name) => name.slice(name.indexOf('.') + 1))
  return options.map((name) => name.replaceAll('_', '[_-]')).join('|')
}

function matches(pattern: string, text: string): string {
  return `(regexMatch ${go(pattern)} ${text})`
}

/** A pattern as a literal of Go's templates. */
function go(text: string): string {
  return JSON.stringify(text)
}
