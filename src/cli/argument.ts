import {Args} from '@oclif/core'

/**
 * Defines an argument of a command. Without `ignoreStdin` oclif fills an argument that is missing from standard input, if
 * a line is there within 10 ms: a file that a command reads itself, or the list of a `while read` loop.
 */
export const argument = Args.custom<string>({ignoreStdin: true})
