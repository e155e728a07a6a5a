# SPDX-License-Identifier: GPL-2.0
# Part of lab/test: the results of cases, from the files that lab/guest/cases has left in
# $share.  Counts them in $passed, $failed and $skipped, and collects $failures.
# shellcheck shell=sh disable=SC2034,SC2154 # variables of lab/test

record() {
	case $1 in
	ok) passed=$((passed + 1)) ;;
	skip) skipped=$((skipped + 1)) ;;
	*)
		failed=$((failed + 1))
		failures="$failures
$where: $2: $3"
		printf '\n--- FAIL %s: %s: %s\n' "$where" "$2" "$3"
		;;
	esac
}

show() {
	tr -d '\r' <"$1" | tail -n "${2:-30}" | sed 's/^/    /'
}

# KTAP and TAP: every result line counts, except those of suites: their cases count.
judge_tap() {
	if grep -qE '^Bail out!|^ *# Totals?:.* fail:[1-9]' "$2" && ! grep -qE '^ *not ok' "$2"; then
		record fail "$1" "bailed out"
		show "$2"
	fi
	# A suite's cases are at depth 4, above the results that each of them sums up.
	depth='^ *(not )?ok [0-9]+'
	if grep -qE '^    (not )?ok [0-9]+' "$2"; then
		depth='^ {4}(not )?ok [0-9]+'
	fi
	grep -aE "$depth" "$2" >"$2.lines" || :
	while read -r line; do
		case $line in
		*"# SKIP"* | *"# skip"*) record skip ;;
		ok*) record ok ;;
		*) record fail "$1" "$line" ;;
		esac
	done <"$2.lines"
	if grep -q '^ *not ok' "$2.lines"; then
		show "$2" 60
	fi
	rm -f "$2.lines"
}

# judge_program NAME FILE OUTPUT
judge_program() {
	file=$2
	why=''
	header "$file" expect >"$3.expect"
	while read -r re; do
		grep -qaE -- "$re" "$3" || why="no line matches: $re"
	done <"$3.expect"
	header "$file" reject >"$3.expect"
	while read -r re; do
		! grep -qaE -- "$re" "$3" || why="a line matches: $re"
	done <"$3.expect"
	rm -f "$3.expect"
	if [ -z "$why" ]; then
		record ok
	else
		record fail "$1" "$why"
		show "$3" 40
	fi
}

# judge NAME: the result of one case, from its .rc and .out.
judge() {
	res=$share/$1
	if [ ! -e "$res.rc" ]; then
		record fail "$1" "was not run"
		return
	fi
	rc=$(cat "$res.rc")
	case $rc in
	known)
		record skip
		return
		;;
	report)
		record fail "$1" "the kernel reported a problem"
		show "$res.report" 120
		return
		;;
	124 | 137)
		record fail "$1" "ran into its time limit"
		show "$res.out"
		return
		;;
	esac
	program=$TOP/lab/tests/programs/$1
	case $1 in
	pmu/* | machines/*) program=$TOP/lab/tests/pmu/${1##*/} ;;
	esac
	if [ -f "$program" ]; then
		judge_program "$1" "$program" "$res.out"
	else
		if grep -qE '^ *(not )?ok [0-9]+' "$res.out"; then
			judge_tap "$1" "$res.out"
		elif [ "$rc" -eq 4 ]; then
			record skip
		elif [ "$rc" -eq 0 ]; then
			record ok
		else
			record fail "$1" "exit status $rc"
			show "$res.out"
		fi
	fi
}

# fails NAME: whether the case counts as failed.
fails() (
	before=$failed
	judge "$1" >/dev/null
	[ "$failed" -gt "$before" ]
)

# List the cases that ended with "not ok", without a report or a time limit.
list_not_ok() {
	while read -r name limit command; do
		case $name:$(cat "$share/$name.rc" 2>/dev/null) in
		kunit:* | *: | *:known | *:report | *:124 | *:137) continue ;;
		esac
		! fails "$name" || printf '%s %s %s\n' "$name" "$limit" "$command"
	done <"$share/list"
}

# Failures of a machine while no case was running.
judge_boots() {
	for file in "$share"/boot.why "$share"/pmu/*/boot.why "$share"/machines/*/boot.why; do
		[ -e "$file" ] || continue
		name=${file#"$share"/}
		record fail "${name%.why}" "$(cat "$file")"
		show "${file%.why}.report" 80
	done
}

judge_all() {
	printf ' %d s\n' $(($(date +%s) - begin))
	judge_boots
	while read -r name _; do
		judge "$name"
	done <"$share/list"
}
