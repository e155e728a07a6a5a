# SPDX-License-Identifier: GPL-2.0
# Sourced by the cases record-*, which try one option of perf record after the other:
#
#   record NAME OPTION... COMMAND  record; perf script and perf inject -b must be able to
#                                  read the file, and inject must keep every sample
#   shows COUNT RE                 at least COUNT lines of perf script's output match
#   counts NUMBER KIND             at least NUMBER records, by the statistics of perf report
#   refused NAME RE OPTION...      perf record must fail, with a message that matches RE
#   result                         at the end: the sum
#
# The variable "script" holds options of perf script; record forgets them.  Each option that
# was tried prints "ok NAME" or "FAILED NAME: WHY".
# shellcheck shell=sh

data=/tmp/lab.data
option='' problem='' script='' right=0 bad=0

# The kernel lowers the limit on a slow machine such as the emulated one.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent

finish() {
	[ -n "$option" ] || return 0
	if [ -z "$problem" ]; then
		right=$((right + 1))
		echo "ok $option"
	else
		bad=$((bad + 1))
		echo "FAILED $option: $problem"
	fi
	option='' problem=''
}

begin() {
	finish
	option=$1
	rm -rf "$data" "$data".*
	: >"$data.text"
}

# The first fault, and the output of a program.
wrong() {
	[ -n "$problem" ] || problem=$*
}

said() {
	tail -n 4 "$data.$1" | tr '\n' '|'
}

# counted FILE KIND: records of a kind in the whole file
counted() {
	perf report -i "$1" --stats 2>/dev/null |
		awk -v kind="$2" '$1 == kind && $2 == "events:" { print $3; exit }'
}

# examine: check the content of the file
examine() {
	# shellcheck disable=SC2086 # a list of options
	perf script -i "$data" $script >"$data.text" 2>"$data.err" ||
		wrong "perf script: $(said err)"
	perf inject -b -i "$data" -o "$data.inject" >"$data.log" 2>&1 ||
		wrong "perf inject: $(said log)"
	before=$(counted "$data" SAMPLE)
	after=$(counted "$data.inject" SAMPLE)
	[ "${before:-0}" -gt 0 ] || wrong "no samples: $(said record)"
	[ "$before" = "$after" ] || wrong "$before samples, $after after perf inject"
	perf buildid-list -i "$data.inject" 2>/dev/null | grep -qE '^[0-9a-f]{40} ' ||
		wrong "no build IDs injected"
}

# Without -B the tool copies each file that has samples to its cache, every time.
try() {
	perf record -B -o "$data" "$@" >"$data.record" 2>&1 </dev/null
}

record() {
	begin "$1"
	shift
	if try "$@"; then
		examine
	else
		wrong "perf record: $(said record)"
	fi
	script=''
}

refused() {
	begin "$1"
	re=$2
	shift 2
	if try "$@"; then
		wrong "was accepted"
	elif ! grep -qE -- "$re" "$data.record"; then
		wrong "said: $(said record)"
	fi
}

shows() {
	found=$(grep -cE -- "$2" "$data.text")
	[ "$found" -ge "$1" ] || {
		wrong "$found times \"$2\" in $(wc -l <"$data.text") lines, such as:" \
		      "$(tail -n 3 "$data.text" | tr '\n' '|')"
	}
}

counts() {
	found=$(counted "$data" "$2")
	[ "${found:-0}" -ge "$1" ] || wrong "${found:-0} records $2"
}

result() {
	finish
	rm -rf "$data" "$data".*
	echo "$right right, $bad wrong"
}
