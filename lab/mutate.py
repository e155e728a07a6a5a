#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Put small faults into a C file, each behind MUTANT(N): lab/mutate.

  mutate.py list  SOURCE COMMANDS [FIRST [MOST [SEED]]]
  mutate.py write SOURCE COMMANDS LIST OUTPUT

"list" parses SOURCE with libclang, under the compiler's options in COMMANDS (a .cmd
file of kbuild), and prints the places where one thing can be changed, a line each:

  NUMBER LINE:COLUMN FUNCTION KIND TEXT

with numbers from FIRST (1000), and at most MOST (60) of them: from each function and kind
in turn, in an order that SEED decides.  "write" makes OUTPUT from SOURCE with the faults of
LIST, which has lines as printed by "list".  A line of C stays one line.

Kinds:
  negate    a condition is negated
  and, or   one side of a condition is left out: "and1" is the first
  bound     < becomes <=, > becomes >=, and the reverse
  plus      + becomes -, and the reverse
  drop      a statement is left out: a call, an assignment
  swap      two statements change places
  return    the returned value is 0, or the other boolean
"""
import hashlib
import re
import sys

from clang.cindex import Config, CursorKind, Index, TypeKind

BOUNDS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>'}
# Calls without a visible effect: assertions, hints, names.
SILENT = re.compile(r'(lockdep_|might_|WARN|BUG|BUILD_BUG|DEBUG_|KUNIT|kunit_|pr_|trace_|'
                    r'prefetch|cond_resched|static_assert|__set_bit_debug|annotate_|instrument_|'
                    r'perf_debug_)')
NUMBERS = (TypeKind.BOOL, TypeKind.INT, TypeKind.UINT, TypeKind.LONG, TypeKind.ULONG,
           TypeKind.LONGLONG, TypeKind.ULONGLONG, TypeKind.SHORT, TypeKind.USHORT,
           TypeKind.CHAR_S, TypeKind.CHAR_U, TypeKind.SCHAR, TypeKind.UCHAR, TypeKind.ENUM)
LOGIC = re.compile(r'&&|\|\|')


def compiler_options(path):
    """The options in a .cmd file that the parser needs."""
    line = open(path, encoding='utf-8').readline()
    words = line.split(':=', 1)[1].split(' ; ')[0].split()
    options, keep = [], False
    for word in words:
        if keep or re.match(r'-(I|D|U|std=|m64|m32|funsigned-char|fshort-wchar|include$)', word):
            options.append(word.replace("'", ''))
            keep = word == '-include'
    return options + ['-w', '-nostdinc']


class Source:
    """A file, its text, and the faults that could be put in."""

    def __init__(self, path, options):
        self.path = path
        self.text = open(path, 'rb').read()
        self.unit = Index.create().parse(path, args=options)
        errors = [d for d in self.unit.diagnostics if d.severity >= 4]
        if errors:
            sys.exit('%s: %s' % (path, errors[0]))
        self.faults = []
        self.function = None

    def range(self, cursor):
        """Bytes of the cursor's text; None if it is not completely in this file."""
        begin, end = cursor.extent.start, cursor.extent.end
        for place in (begin, end):
            if not place.file or place.file.name != self.path:
                return None
        piece = self.text[begin.offset:end.offset]
        if not piece or piece.count(b'(') != piece.count(b')') or b'#' in piece or \
           piece.count(b'{') != piece.count(b'}'):
            return None
        return begin.offset, end.offset

    def piece(self, span):
        return self.text[span[0]:span[1]].decode()

    def add(self, kind, span, *more):
        self.faults.append((kind, self.function, span, more))

    def begins(self, cursor, word):
        """Not from a macro: for these libclang returns the macro's place."""
        span = self.range(cursor)
        return bool(span) and self.text[span[0]:].startswith(word)

    def condition(self, cursor, behind=b''):
        span = self.range(cursor)
        if span and not SILENT.search(self.piece(span)) and \
           self.text[span[1]:].lstrip().startswith(behind):
            self.add('negate', span)

    def operator(self, cursor):
        """The operator of a binary expression and its position."""
        left, right = list(cursor.get_children())
        a, b = self.range(left), self.range(right)
        if not a or not b or a[1] > b[0]:
            return None
        between = self.text[a[1]:b[0]].decode()
        found = re.fullmatch(r'\s*(\S+?)\s*', re.sub(r'/\*.*?\*/', '', between, flags=re.S))
        return (found.group(1), a, b, left, right) if found else None

    def binary(self, cursor):
        found = self.operator(cursor)
        whole = self.range(cursor)
        if not found or not whole:
            return
        operator, a, b, left, right = found
        numbers = all(c.type.get_canonical().kind in NUMBERS for c in (left, right))
        if operator in ('&&', '||'):
            name = 'and' if operator == '&&' else 'or'
            self.add(name + '1', a, operator)
            self.add(name + '2', b, operator)
        elif operator in BOUNDS and numbers:
            self.add('bound', whole, operator, a, b)
        elif operator in '+-' and numbers:
            self.add('plus', b)

    def droppable(self, cursor):
        """The span of an expression statement, with its semicolon."""
        if not cursor.kind.is_expression() and cursor.kind not in (
                CursorKind.DO_STMT, CursorKind.COMPOUND_STMT):
            return None
        span = self.range(cursor)
        if not span or self.text[span[1]:span[1] + 1] != b';':
            return None
        piece = self.piece(span)
        if SILENT.search(piece) or piece.startswith(('do ', 'do\n', '{', 'if', 'for', 'while')):
            return None
        return span

    @staticmethod
    def order_matters(first, second):
        """Two calls, or one statement sets a variable that the other uses."""
        if first == second:
            return False
        written = [re.match(r'(?:WRITE_ONCE\()?([\w>.\[\]-]+)\s*(?:,|[-+|&]?=[^=])', text)
                   for text in (first, second)]
        if not any(written):
            return '(' in first and '(' in second
        return any(w and re.search(re.escape(w.group(1)) + r'\b(?!\s*[-.>])', other)
                   for w, other in zip(written, (second, first)))

    def statements(self, cursor):
        before = None
        for child in cursor.get_children():
            span = self.droppable(child)
            if span:
                self.add('drop', span)
                if before and not self.text[before[1] + 1:span[0]].strip() and \
                   self.order_matters(self.piece(before), self.piece(span)):
                    self.add('swap', (before[0], span[1]), before, span)
            before = span

    def single(self, cursor):
        """The only statement of an if, else or loop without braces."""
        span = self.droppable(cursor)
        if span:
            self.add('drop', span)

    def returned(self, cursor):
        children = list(cursor.get_children())
        span = self.range(children[0]) if children else None
        if not span:
            return
        kind = self.result.get_canonical().kind
        piece = self.piece(span)
        if kind == TypeKind.BOOL:
            self.add('return', span, 'bool')
        elif kind in NUMBERS and piece not in ('0', '1'):
            self.add('return', span, '0')

    def walk(self, cursor):
        children = list(cursor.get_children())
        kind = cursor.kind
        if kind == CursorKind.IF_STMT and self.begins(cursor, b'if'):
            self.condition(children[0])
        if kind == CursorKind.WHILE_STMT and self.begins(cursor, b'while'):
            self.condition(children[0])
        if kind == CursorKind.CONDITIONAL_OPERATOR:
            self.condition(children[0], b'?')
        if kind == CursorKind.BINARY_OPERATOR and len(children) == 2:
            self.binary(cursor)
        if kind == CursorKind.COMPOUND_STMT and self.begins(cursor, b'{'):
            self.statements(cursor)
        if kind in (CursorKind.IF_STMT, CursorKind.FOR_STMT, CursorKind.WHILE_STMT) and \
           self.begins(cursor, (b'if', b'for', b'while')):
            for child in children[-1:] if kind == CursorKind.FOR_STMT else children[1:]:
                self.single(child)
        if kind == CursorKind.RETURN_STMT and self.begins(cursor, b'return'):
            self.returned(cursor)
        for child in children:
            self.walk(child)

    def collect(self):
        for cursor in self.unit.cursor.get_children():
            if cursor.kind != CursorKind.FUNCTION_DECL or not cursor.is_definition():
                continue
            if not cursor.location.file or cursor.location.file.name != self.path:
                continue
            if '__init' in self.text[cursor.extent.start.offset:
                                     cursor.location.offset].decode():
                continue
            self.function = cursor.spelling
            self.result = cursor.result_type
            for child in cursor.get_children():
                if child.kind == CursorKind.COMPOUND_STMT:
                    self.walk(child)
        # Do not change code that a macro expands twice, nor sizes of types.
        known = set()
        unique = []
        for fault in self.faults:
            key = fault[0], fault[2]
            inside = self.text[max(0, fault[2][0] - 40):fault[2][0]]
            if key in known or re.search(rb'(sizeof|typeof|__builtin_\w+|BIT)\([^)]*$', inside):
                continue
            known.add(key)
            unique.append(fault)
        self.faults = unique

    def line(self, offset):
        return self.text.count(b'\n', 0, offset) + 1

    def describe(self, fault):
        kind, function, span, _ = fault
        text = ' '.join(self.piece(span).split())
        column = span[0] - self.text.rfind(b'\n', 0, span[0])
        return '%d:%d %s %s %s' % (self.line(span[0]), column, function, kind, text[:100])


def choose(source, most, seed):
    """Take one fault of every function and kind before a second one of any of them."""
    def order(fault):
        return hashlib.sha256((seed + source.describe(fault)).encode()).hexdigest()

    groups = {}
    for fault in sorted(source.faults, key=order):
        groups.setdefault((fault[1], fault[0]), []).append(fault)
    chosen = []
    for depth in range(max((len(g) for g in groups.values()), default=0)):
        layer = [g[depth] for g in groups.values() if depth < len(g)]
        chosen += sorted(layer, key=order)
    return sorted(chosen[:most], key=lambda fault: fault[2])


def edits(source, number, fault):
    """Insertions, (place, text), and removals.

    At one offset ends come before beginnings; inner ends come before outer ones,
    and outer begins before inner ones."""
    kind, _, (begin, end), more = fault
    cond = 'MUTANT(%d)' % number
    # The only kind that inserts text into the middle of its place.
    rank = number + (1 << 20 if kind == 'bound' else 0)
    before = (begin, 1, begin - end, rank)
    behind = (end, 0, end - begin, -rank)
    if kind == 'negate':
        pair = ('(!!(', ') != %s)' % cond)
    elif kind in ('and1', 'and2'):
        pair = ('((', ') || %s)' % cond)
    elif kind in ('or1', 'or2'):
        pair = ('((', ') && !%s)' % cond)
    elif kind == 'plus':
        pair = ('(1 - 2 * %s) * (' % cond, ')')
    elif kind == 'drop':
        pair = ('do { if (!%s) ' % cond, '; } while (0)')
    elif kind == 'return':
        pair = ('(!!(', ') != %s)' % cond) if more[0] == 'bool' else \
               ('(%s ? 0 : (' % cond, '))')
    elif kind == 'swap':
        first, second = (' '.join(source.piece(s).split()) for s in more)
        pair = ('do { if (%s) { %s; %s; } else { ' % (cond, second, first), '; } } while (0)')
    elif kind == 'bound':
        operator, a, b = more
        left, right = '_l%d' % number, '_r%d' % number
        last = '); %s ? %s %s %s : %s %s %s; })' % (cond, left, BOUNDS[operator], right,
                                                    left, operator, right)
        return [(before, '({ __auto_type %s = (' % left),
                ((a[1], 0, len(source.text), 0), '); __auto_type %s = (' % right),
                (behind, last)], (a[1], b[0])
    return [(before, pair[0]), (behind, pair[1])], None


def write(source, wanted, output):
    """wanted: {number: description}"""
    by_text = {source.describe(f): f for f in source.faults}
    inserted, removed = [], []
    for number, text in wanted.items():
        if text not in by_text:
            sys.exit('%s: no such place any more: %s' % (source.path, text))
        more, gone = edits(source, number, by_text[text])
        inserted += more
        if gone:
            removed.append(gone)
    result, at = [], 0
    inserted.sort()
    for (offset, *_), text in inserted:
        for begin, end in removed:
            if at <= begin and end <= offset:
                result.append(source.text[at:begin])
                result.append(b'\n' * source.text.count(b'\n', begin, end))
                at = end
        result.append(source.text[at:offset])
        result.append(text.encode())
        at = max(at, offset)
    result.append(source.text[at:])
    with open(output, 'wb') as file:
        file.write(b'#include "mutant.h"\n#line 1\n' + b''.join(result))


def main(args):
    if len(args) < 3 or args[0] not in ('list', 'write'):
        sys.exit(__doc__)
    Config.set_library_path('/usr/lib/llvm-14/lib')
    if args[0] == 'list':
        source = Source(args[1], compiler_options(args[2]))
        source.collect()
        first = int(args[3]) if len(args) > 3 else 1000
        most = int(args[4]) if len(args) > 4 else 60
        chosen = choose(source, most, args[5] if len(args) > 5 else '')
        for number, fault in enumerate(chosen, first):
            print(number, source.describe(fault))
        return
    source = Source(args[1], compiler_options(args[2]))
    source.collect()
    wanted = {}
    for line in open(args[3], encoding='utf-8'):
        number, text = line.rstrip('\n').split(' ', 1)
        wanted[int(number)] = text
    write(source, wanted, args[4])


main(sys.argv[1:])
