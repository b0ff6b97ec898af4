import {type Candidates, commandPaths, type Described, type Tables} from './tables.ts'

/** Returns the completion script for fish. */
export function fish(all: Tables): string {
  const cases = (entries: Iterable<readonly [string, string]>) => {
    const byText = Map.groupBy(entries, ([, text]) => text)
    return [...byText]
      .map(([text, keys]) => `    case ${keys.map(([key]) => fishQuoted(key)).join(' ')}\n      ${text}`)
      .join('\n')
  }
  const formatList = (map: ReadonlyMap<string, readonly Described[]>) =>
    cases(
      [...map].map(([key, words]) => {
        const items = words.map(({word, summary}) => fishQuoted(`${word}\t${summary}`))
        return [key, `printf '%s\\n' ${items.join(' ')}`] as const
      }),
    )
  const echoed = (map: ReadonlyMap<string, Candidates>) =>
    cases([...map].map(([key, candidates]) => [key, `echo ${fishQuoted(candidates)}`] as const))
  return `# Completion of kk for fish, made by kk completion fish.
function __kk_below
  switch $argv[1]
${formatList(all.below)}
  end
end

function __kk_flags
  switch $argv[1]
${formatList(all.flags)}
  end
end

function __kk_argument
  switch $argv[1]
${echoed(all.arguments)}
  end
end

function __kk_takes
  switch "$argv[1] $argv[2]"
${echoed(new Map([...all.values].filter(([key]) => key.includes(' '))))}
    case '*'
      switch $argv[2]
${echoed(new Map([...all.values].filter(([key]) => !key.includes(' '))))}
      end
  end
end

function __kk_complete
  set -l words (commandline -opc)
  set -l cur (commandline -ct)
  set -l id ''
  set -l rest 0
  for word in $words[2..-1]
    set -l next (string trim -- "$id $word")
    if not string match -q -- "*|$next|*" '|${commandPaths(all)}|'
      set rest 1
      break
    end
    set id $next
  end
  set -l prev $words[-1]
  set -l before ''
  if string match -q -- '--*=*' $cur
    set prev (string split -m 1 = -- $cur)[1]
    set before "$prev="
    set cur (string split -m 1 = -- $cur)[2]
  end
  set -l takes (__kk_takes $id $prev)
  if test -z "$takes"; and string match -q -- '-*' $cur
    __kk_flags $id
    return
  end
  if test -z "$takes"
    set takes (__kk_argument $id)
    test $rest = 0; and __kk_below $id
  end
  switch "$takes"
    case 'words *'
      string split ' ' -- (string replace 'words ' '' -- $takes) | string replace -r '^' -- "$before"
    case files
      __fish_complete_path $cur | string replace -r '^' -- "$before"
    case directories
      __fish_complete_directories $cur '' | string replace -r '^' -- "$before"
    case environments releases
      __fish_complete_path $cur | string match -r '.*(?:/|\\.ya?ml)(?:\\t.*)?$' | string replace -r '^' -- "$before"
      test $takes = releases; and $words[1] __names releases $words[2..-1] 2>/dev/null
    case 'release=' 'release:'
      $words[1] __names releases $words[2..-1] 2>/dev/null | string replace -r '$' -- (string replace release '' -- $takes)
    case owner
      $words[1] __names environment $words[2..-1] 2>/dev/null
  end
end

complete -c kk -f -a '(__kk_complete)'
`
}

/**
 * Quotes a string for fish, which interprets only backslashes and quotes between single quotes. A tab
 * separates a word from its description.
 */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
