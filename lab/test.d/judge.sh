# SPDX-License-Identifier: GPL-2.0
# Part of lab/test: the results of cases, from the files that lab/guest/cases has left in
# $share.  Counts them in $passed, $failed, $expected and $skipped, and collects $failures.
# shellcheck shell=sh disable=SC2034,SC2154 # variables of lab/test

record() {
	case $1 in
	ok) passed=$((passed + 1)) ;;
	expected) expected=$((expected + 1)) ;;
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

# rows_of NAME: the regular expressions of lab/tests/failures.base for a case of
# lab/tests/machines.  Our x86 drivers have none.
rows_of() {
	[ "$(drivers_of "$kernel")" = base ] || return 0
	awk -F '\t' -v name="$1" '!/^#/ && "machines/" $1 "/" $2 == name { print $3 }' \
		"$TOP/lab/tests/failures.base"
}

# sort_out NAME FILE: judge the complaints of a case, the lines of FILE.  Sets $wrong to the
# first one that is not expected, or to an expected one that is missing; empty if the
# complaints are the expected ones.
sort_out() {
	wrong=
	rows_of "$1" >"$2.rows"
	if [ -s "$2.rows" ]; then
		wrong=$(grep -avE -m 1 -f "$2.rows" "$2" || :)
	else
		wrong=$(head -n 1 "$2")
	fi
	while read -r row; do
		grep -qaE -- "$row" "$2" || wrong=${wrong:-"expected failure passed: $row"}
	done <"$2.rows"
	rm -f "$2.rows"
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
	grep -aE '^ *not ok' "$2.lines" | grep -aivF '# SKIP' >"$2.complaints" || :
	sort_out "$1" "$2.complaints"
	while read -r line; do
		case $line in
		*"# SKIP"* | *"# skip"*) record skip ;;
		ok*) record ok ;;
		*)
			if [ -n "$wrong" ]; then
				record fail "$1" "$line"
			else
				record expected
			fi
			;;
		esac
	done <"$2.lines"
	case $wrong in
	'expected failure passed'*) record fail "$1" "$wrong" ;;
	esac
	if [ -n "$wrong" ]; then
		show "$2" 60
	fi
	rm -f "$2.lines" "$2.complaints"
}

# complaints FILE OUTPUT: what is wrong with the output of a program: lines that its file
# rejects, and those that the file expects and that are missing.
complaints() {
	header "$1" expect | while read -r re; do
		grep -qaE -- "$re" "$2" || printf 'no line matches: %s\n' "$re"
	done
	header "$1" reject | while read -r re; do
		grep -aE -- "$re" "$2" || :
	done
}

# judge_program NAME FILE OUTPUT
judge_program() {
	complaints "$2" "$3" >"$3.complaints"
	sort_out "$1" "$3.complaints"
	if [ -n "$wrong" ]; then
		record fail "$1" "$wrong"
		show "$3" 40
	elif [ -s "$3.complaints" ]; then
		record expected
	else
		record ok
	fi
	rm -f "$3.complaints"
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
