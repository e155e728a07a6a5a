# SPDX-License-Identifier: GPL-2.0
# Programs that measure in a guest whose clock counts instructions; for lab/bench and
# lab/scaling, after lab/lib.sh.  DIR is the folder of the results, RAW that of the raw ones.
# shellcheck shell=sh

# The headers of our kernel.
meter_headers() {
	"$TOP/lab/build" --kernel ours --config release headers >"$BUILD/headers.log" 2>&1 ||
		die "make headers failed: build/headers.log"
}

# compile_meter PROGRAM SOURCE...
compile_meter() {
	packages gcc libc6-dev
	program=$1
	shift
	gcc -O2 -static -pthread -D_GNU_SOURCE -Wall -Wextra -Wno-unused-parameter \
		-Wno-missing-field-initializers \
		-isystem "$BUILD/tree/out-release/usr/include" -o "$program" "$@" -lm ||
		die "the program does not compile"
}

# pack_meter PROGRAM: the guest holds only the program, which is its first process.  Waiting
# for a file of the host would take a varying time.
pack_meter() {
	packages cpio
	mkdir -p "$DIR/root"
	cp "$1" "$DIR/root/init"
	(cd "$DIR/root" && echo init | cpio --quiet -o -H newc) >"$DIR/initrd"
}

# progress WHAT TOTAL RESULTS: copies results, shows the rest.  On a terminal a counter is
# updated in place; elsewhere each machine prints a line.
progress() {
	tty=0
	[ ! -t 2 ] || tty=1
	# mawk waits for a full buffer unless it is told not to.
	at_once=''
	! awk -W version </dev/null 2>&1 | grep -q mawk || at_once='-W interactive'
	# shellcheck disable=SC2086 # options
	awk $at_once -F '\t' -v total="$2" -v what="$1" -v tty=$tty -v results="$3" '
		{ gsub(/\r/, "") }
		NF > 1 { print >results; fflush(results); next }
		/: (refused|failed),/ {
			printf("%sperflab: %s: %s\n", tty ? "\r" : "", what, $0) > "/dev/stderr"
			next
		}
		tty { printf("\rperflab: %s: %d/%d %-40s", what, ++n, total, $0) > "/dev/stderr" }
		END { if (tty) printf("\r%70s\r", "") > "/dev/stderr" }'
}

# boot_meter KERNEL NAME TOTAL OPTIONS -- ARG...: run the program; its results are appended to
# $RAW/KERNEL.new.  Addresses are not random, so that two runs execute the same instructions.
# Return: 1 if a row could not be measured.
boot_meter() {
	booted=$1
	name=$2
	total=$3
	options=$4
	shift 5
	share=$DIR/$booted-$name
	what="$(output_name "$booted" release), machine \"$name\""
	rm -rf "$share"
	begin=$(date +%s)
	{
		# shellcheck disable=SC2086 # a list of options
		"$TOP/lab/vm" $options --icount --append norandmaps --share "$share" \
			--initrd "$DIR/initrd" \
			"$(boot_image "$booted" release)" -- "$@" ||
			echo $? >"$share/failed"
	} | progress "$what" "$total" "$share/results"
	cat "$share/results" >>"$RAW/$booted.new" 2>/dev/null || :
	say "$what: $total rows, $(($(date +%s) - begin)) s"
	[ -s "$share/failed" ] || return 0
	say "$what: status $(cat "$share/failed")"
	return 1
}

# The first line of a table: which kernels and which emulator the figures are from.
describe() {
	ours=$(git -c safe.directory="$TOP" -C "$TOP" describe --always --dirty 2>/dev/null ||
		echo unknown)
	[ "$(drivers_of ours)" = base ] || ours="$ours with our x86 drivers"
	printf 'base: %s %s; ours: %s; %s; %s\n' "$PACKAGE" "$(base_version)" "$ours" \
		"$(gcc --version | head -n 1)" "$(qemu-system-x86_64 --version | head -n 1)"
}
