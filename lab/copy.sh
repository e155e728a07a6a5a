# SPDX-License-Identifier: GPL-2.0
# Make a copy of this working copy, into which faults may be put.  Sourced, after lab/lib.sh.
# shellcheck shell=sh

# Sources are hard links, through which nothing is ever written; objects are copies.
link_tree() {
	[ ! -d "$copy/build/$1" ] && [ -d "$BUILD/$1" ] || return 0
	mkdir -p "$copy/build/$1.new"
	(cd "$BUILD/$1" && find . -mindepth 1 -maxdepth 1 ! -name 'out-*' \
		-exec cp -al {} "$copy/build/$1.new/" \;)
	for out in "$BUILD/$1/out-release" "$BUILD/$1/out-debug"; do
		[ ! -d "$out" ] || cp -a "$out" "$copy/build/$1.new/"
	done
	mv "$copy/build/$1.new" "$copy/build/$1"
}

# make_copy FOLDER: copy the working copy's files, changed ones with the current time, and
# objects to start from.
make_copy() {
	copy=$1
	mkdir -p "$copy/build"
	(cd "$TOP" && git ls-files -co --exclude-standard) | while read -r file; do
		[ -f "$TOP/$file" ] || continue
		! cmp -s "$TOP/$file" "$copy/$file" || continue
		mkdir -p "$copy/$(dirname "$file")"
		cp "$TOP/$file" "$copy/$file"
	done
	link_tree base
	[ ! -f "$BUILD/base.stamp" ] || cp -p "$BUILD/base.stamp" "$copy/build/"
	link_tree tree
	[ -f "$copy/build/tree.list" ] || [ ! -f "$BUILD/tree.list" ] ||
		cp -p "$BUILD/tree.list" "$copy/build/"
}
