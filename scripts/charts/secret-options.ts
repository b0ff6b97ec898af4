import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {looksSecret, SECRET_RULE} from '../../src/helm/redact/looks-secret.ts'
import type {Options} from '../options/options-text.ts'

const OPTIONS = join(import.meta.dirname, '../../options')

/** An option of a service that oslo.config marks `secret=True`. */
export interface SecretOption {
  readonly release: string
  readonly service: string
  readonly section: string
  readonly option: string
  readonly type: string
}

/** Returns every secret option of `options`, also by each of its former names. */
export function secretOptions(directory = OPTIONS): readonly SecretOption[] {
  return readdirSync(directory).flatMap((release) =>
    readdirSync(join(directory, release)).flatMap((file) => {
      const {options}: Options = JSON.parse(readFileSync(join(directory, release, file), 'utf8'))
      return secretsOf(options).map((each) => ({release, service: file.replace(/\.json$/, ''), ...each}))
    }),
  )
}

function secretsOf(options: Options['options']) {
  return Object.entries(options).flatMap(([section, each]) =>
    Object.entries(each)
      .filter(([, {secret}]) => secret)
      .flatMap(([name, {type, formerly = []}]) =>
        [`${section}.${name}`, ...formerly].map((place) => ({
          section: place.slice(0, place.lastIndexOf('.')),
          option: place.slice(place.lastIndexOf('.') + 1),
          type,
        })),
      ),
  )
}

/**
 * Returns the names of secret options of which the rule does not say that they are, in order. A single word that is
 * secret in one section alone, such as `url`, comes with its section.
 */
export function unusualNames(options = secretOptions()): readonly string[] {
  const unusual = options.filter(({option}) => !looksSecret(option))
  const sections = Map.groupBy(unusual, ({option}) => option)
  const names = [...sections].map(([option, found]) => {
    const [section, ...others] = new Set(found.map((each) => each.section))
    return option.includes('_') || others.length > 0 ? option : `${section}.${option}`
  })
  return names.sort()
}

const HEAD = `Made by \`npm run charts\` of the options that oslo.config marks \`secret=True\` (\`options\`) and of the rule in
src/helm/redact/looks-secret.ts`

/** Returns the module of kk that has the list. */
export function secretOptionsModule(names: readonly string[]): string {
  const lines = names.map((name) => `  '${name}',\n`).join('')
  return `/**
 * ${HEAD.replaceAll('\n', '\n * ')}: the names that are secret of which the rule does not say it.
 */
export const SECRET_OPTIONS: ReadonlySet<string> = new Set([
${lines}])
`
}

/** Returns the template of the library chart that has the list, and the same rule. */
export function secretOptionsTemplate(names: readonly string[]): string {
  const {words, form, setting, secret} = SECRET_RULE
  const replaced = words.reduce(
    (text, [pattern, by]) => `regexReplaceAll ${goString(pattern)} (${text}) ${goString(by)}`,
    '.name',
  )
  return `{{- /*
${HEAD}.
True if .value, below the key or option .name (in .section), is a secret or holds one: a map and a list by what is in them, a text by the keys of its lines.
*/ -}}
{{- define "common.config.secret" -}}
{{- if or (kindIs "map" .value) (kindIs "slice" .value) -}}
{{- range $key, $value := .value -}}
{{- $name := ternary $.name $key (or (kindIs "slice" $.value) (eq (toString $key) "values")) -}}
{{- include "common.config.secret" (dict "name" $name "section" $.name "value" $value) -}}
{{- end -}}
{{- else if not (or (kindIs "bool" .value) (kindIs "invalid" .value)) -}}
{{- $value := toString .value -}}
{{- $option := replace "-" "_" .name -}}
{{- $options := list${names.map((name) => ` "${name}"`).join('')} -}}
{{- $listed := or (has $option $options) (has (printf "%s.%s" .section $option) $options) -}}
{{- $words := regexReplaceAll ${goString(form)} (${replaced} | lower) "" -}}
{{- $ruled := and (not (regexMatch ${goString(setting)} $words)) (regexMatch ${goString(secret)} $words) -}}
{{- $path := and (hasSuffix "key" $words) (regexMatch "^/(etc|run|srv|usr|var)/" $value) -}}
{{- if or $listed (and $ruled (not $path)) (regexMatch "://[^/@[:space:]]*:[^/@[:space:]]+@|-----BEGIN [A-Z ]*PRIVATE KEY" $value) -}}
true
{{- else if contains "\\n" $value -}}
{{- range regexFindAll "(?m)^[[:space:]]*[\\"']?[[:word:].-]+[\\"']?[[:space:]]*[=:\\"']" $value -1 -}}
{{- include "common.config.secret" (dict "name" (trimAll " \\n\\t\\"'=:" .) "value" "") -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
`
}

/** A pattern as a literal of Go's templates. */
function goString(text: string): string {
  return JSON.stringify(text)
}
