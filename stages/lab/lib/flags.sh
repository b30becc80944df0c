# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034
# Command lines the way cobra (talosctl, kubectl, flux) reads them. The tool defines usage_error MESSAGE, which exits.

declare -A FLAG=()
ARGS=()
REST=()

# parse_flags SPEC ARG...: SPEC has one word per flag, `long[,short]` with `=` at its end when it takes a value and `?`
# when the value is optional. Fills FLAG (a repeated flag has one line per value) and ARGS.
parse_flags() { read_flags all "$@"; }

# The same up to the first word that is not a flag, which is left in REST with everything after it.
parse_leading_flags() { read_flags leading "$@"; }

read_flags() {
  local mode=$1 word token name value kind
  local -A kinds=() long=()
  for word in $2; do
    kind=${word##*[!=?]}
    word=${word%[=?]}
    kinds[${word%,*}]=${kind:-bool}
    [[ $word != *,* ]] || long[${word#*,}]=${word%,*}
  done
  shift 2
  ARGS=()
  while (($#)); do
    token=$1
    shift
    case $token in
      --) ARGS+=("$@") && break ;;
      --*)
        name=${token#--}
        name=${name%%=*}
        kind=${kinds[$name]:-}
        [[ -n $kind ]] || usage_error "unknown flag: --$name"
        if [[ $token == *=* ]]; then
          value=${token#*=}
        elif [[ $kind == '=' ]]; then
          (($#)) || usage_error "flag needs an argument: --$name"
          value=$1
          shift
        else
          value=true
        fi
        set_flag "$name" "$kind" "$value"
        ;;
      -?*)
        token=${token#-}
        while [[ -n $token ]]; do
          name=${long[${token:0:1}]:-}
          [[ -n $name ]] || usage_error "unknown shorthand flag: '${token:0:1}' in -$token"
          kind=${kinds[$name]}
          if [[ $kind != '=' ]]; then
            set_flag "$name" "$kind" true
            token=${token:1}
            continue
          fi
          value=${token:1}
          if [[ -n $value ]]; then
            value=${value#=}
          else
            (($#)) || usage_error "flag needs an argument: '${token:0:1}' in -$token"
            value=$1
            shift
          fi
          set_flag "$name" "$kind" "$value"
          break
        done
        ;;
      *)
        if [[ $mode == leading ]]; then
          REST=("$token" "$@")
          return
        fi
        ARGS+=("$token")
        ;;
    esac
  done
  REST=()
}

set_flag() {
  local name=$1 kind=$2 value=$3
  if [[ $kind == bool ]]; then
    case $value in
      1 | t | T | true | TRUE | True) value=true ;;
      0 | f | F | false | FALSE | False) value='' ;;
      *) usage_error "invalid argument \"$value\" for \"--$name\" flag: strconv.ParseBool: parsing \"$value\": invalid syntax" ;;
    esac
    FLAG[$name]=$value
  else
    FLAG[$name]=${FLAG[$name]:+${FLAG[$name]}$'\n'}$value
  fi
}

# Milliseconds of a Go duration (90s, 5m, 1h30m) in MS; false when it is none.
duration() {
  local rest=$1 number
  MS=0
  [[ -n $rest ]] || return 1
  [[ $rest != 0 ]] || return 0
  while [[ $rest =~ ^([0-9]+)(ms|s|m|h)(.*)$ ]]; do
    number=$((10#${BASH_REMATCH[1]}))
    case ${BASH_REMATCH[2]} in
      ms) MS=$((MS + number)) ;;
      s) MS=$((MS + number * 1000)) ;;
      m) MS=$((MS + number * 60000)) ;;
      h) MS=$((MS + number * 3600000)) ;;
    esac
    rest=${BASH_REMATCH[3]}
  done
  [[ -z $rest ]]
}
