# SPDX-License-Identifier: GPL-2.0
# Finds the phrases of voice.patterns in the files that the input lists, one a line.
# Comments of C, and the paragraphs of everything else, are joined and taken apart
# into sentences in small letters.

function fail(text)
{
	print "voice: " text >"/dev/stderr"
	broken = 1
	exit 2
}

# A pattern is a word of the sentence or begins and ends at one.
function whole(regex)
{
	return "(^|[^a-z0-9_-])(" regex ")([^a-z0-9_]|$)"
}

function matches(sentence, p)
{
	return match(sentence, find[p]) && !(p in unless && sentence ~ unless[p])
}

# A pattern that does not find its own example finds nothing else.
function try(example, wrong)
{
	if (matches(tolower(example), patterns) != wrong)
		fail((wrong ? "does not find: " : "finds: ") example)
}

function read_patterns(file,   line, key)
{
	while ((getline line <file) > 0) {
		key = line
		sub(/:.*/, "", key)
		if (line ~ /^#/ || line == "")
			continue
		sub(/^[a-z]*: */, "", line)
		if (key == "find")
			find[++patterns] = whole(line)
		else if (key == "unless")
			unless[patterns] = line
		else if (key == "say")
			say[patterns] = line
		else if (key == "wrong" || key == "right")
			try(line, key == "wrong")
		else
			fail(file ": " line)
	}
	if (!patterns)
		fail(file ": no patterns")
}

function read_allow(file,   line, cell)
{
	while ((getline line <file) > 0) {
		if (line ~ /^#/ || line == "")
			continue
		if (split(line, cell, "\t") != 3)
			fail(file ": needs FILE, WORDS and a reason: " line)
		allow[++allowed] = cell[1]
		words[allowed] = cell[2]
	}
}

function is_allowed(sentence,   i)
{
	for (i = 1; i <= allowed; i++)
		if (allow[i] == file && index(sentence, words[i])) {
			used[i] = 1
			return 1
		}
	return 0
}

# The line on which character AT of the paragraph is.
function line_at(at,   i)
{
	for (i = 1; i < lines && begin[i + 1] <= at; i++)
		;
	return number[i]
}

function judge(sentence, at,   p, from, text)
{
	for (p = 1; p <= patterns; p++) {
		if (!matches(sentence, p) || is_allowed(sentence))
			continue
		match(sentence, find[p])
		from = at + RSTART
		text = substr(sentence, RSTART, RLENGTH)
		gsub(/^[^a-z0-9]+|[^a-z0-9]+$/, "", text)
		printf("%s:%d: \"%s\": %s\n", file, line_at(from), substr(text, 1, 50), say[p])
	}
}

# Takes the paragraph apart: a sentence ends with a mark and a blank, or at a bar.
function flush(   rest, at, end)
{
	rest = tolower(paragraph)
	at = 1
	while (rest != "") {
		if (match(rest, /[.?!][)"'`*]* | [|]/))
			end = RSTART + RLENGTH - 1
		else
			end = length(rest)
		judge(substr(rest, 1, end), at)
		at += end
		rest = substr(rest, end + 1)
		while (rest ~ /^ /) {
			rest = substr(rest, 2)
			at++
		}
	}
	paragraph = ""
	lines = 0
}

# Columns are set apart by bars.
function add(text)
{
	gsub(/^[ \t]+|[ \t]+$/, "", text)
	if (text == "") {
		flush()
		return
	}
	if (text ~ /^(@[a-z_.]+:|[-*+] |[0-9a-z]+[.)] |[A-Z][a-z]+: )/)
		flush()
	gsub(/[ \t][ \t]+|\t/, " | ", text)
	begin[++lines] = length(paragraph) + 1
	number[lines] = row
	paragraph = paragraph text " "
}

# Past the string or character that LINE begins with.
function skip_string(line,   quote)
{
	quote = substr(line, 1, 1)
	line = substr(line, 2)
	while (line != "" && substr(line, 1, 1) != quote)
		line = substr(line, substr(line, 1, 1) == "\\" ? 3 : 2)
	return substr(line, 2)
}

function c_line(line,   end, text)
{
	while (line != "" || inside) {
		if (inside) {
			end = index(line, "*/")
			text = end ? substr(line, 1, end - 1) : line
			sub(/^[ \t]*\*+/, "", text)
			add(text)
			if (!end)
				return
			flush()
			inside = 0
			line = substr(line, end + 2)
		} else if (match(line, /["']|\/[*\/]/)) {
			line = substr(line, RSTART)
			if (line ~ /^["']/) {
				line = skip_string(line)
				continue
			}
			inside = substr(line, 2, 1) == "*"
			if (!inside) {
				add(substr(line, 3))
				flush()
				return
			}
			line = substr(line, 3)
		} else {
			return
		}
	}
}

# A heading, the line above a ruler, is no sentence.
function text_line(line)
{
	if (line ~ /^[-=~^"*+ ]+$/) {
		if (lines == 1)
			paragraph = ""
		flush()
	} else {
		add(line)
	}
}

# Of scripts, lists and tables all lines are read, comments apart from the others.
function other_line(line,   comment)
{
	comment = line ~ /^[ \t]*#/
	if (comment != was_comment)
		flush()
	was_comment = comment
	sub(/^[ \t]*#+/, "", line)
	add(line)
}

BEGIN {
	read_patterns(lists ".patterns")
	read_allow(lists ".allow")
}

{
	file = $0
	inside = row = was_comment = 0
	while ((got = getline line <file) > 0) {
		row++
		if (file ~ /\.(c|h|pml)$/)
			c_line(line)
		else if (file ~ /\.(rst|md|txt)$|^Documentation/)
			text_line(line)
		else
			other_line(line)
	}
	if (got < 0)
		fail(file ": cannot be read")
	close(file)
	flush()
}

END {
	if (broken)
		exit 2
	for (i = 1; all && i <= allowed; i++)
		if (!(i in used))
			printf("%s: \"%s\": voice.allow: not needed\n", allow[i], words[i])
}
