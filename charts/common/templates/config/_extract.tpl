{{- /*
Moves what is secret out of the options of an oslo file into .env, as OS_<GROUP>__<OPTION>, which oslo.config
(>= 6.7) reads before its files: https://docs.openstack.org/releasenotes/oslo.config/stein.html .
Known by the option's name, or as a URL with a password, so that one in a user's `conf` stays out of the ConfigMap too.
*/ -}}
{{- define "common.config.extract" -}}
{{- $env := .env -}}
{{- range $section, $options := .options -}}
{{- if kindIs "map" $options -}}
{{- range $option, $value := $options -}}
{{- $named := regexMatch "(password|passwd|secret|secret_key|encryption_key|transport_url)$|^(slave_)?connection$" $option -}}
{{- if and (kindIs "string" $value) (or $named (regexMatch "://[^/@[:space:]]*:[^/@[:space:]]+@" $value)) -}}
{{- $_ := set $env (printf "OS_%s__%s" $section $option | upper | replace "-" "_") $value -}}
{{- $_ := unset $options $option -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
