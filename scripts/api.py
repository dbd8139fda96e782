#!/usr/bin/env python3
"""Writes the reference of the C interface from the public headers: scripts/api.py include/sinew/*.h > docs/api.md

A comment describes the declarations below it, up to the next comment or blank line, or the declaration before it on the
same line. `/* ---- Title ---- */` begins a section. The fields and values of types go into tables with their comments.
"""
import os
import re
import sys
import textwrap

WIDTH = 120
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\n|[^\S\n]+|\w+|.', re.S)
TYPE = re.compile(r"(?:typedef )?(struct|union|enum)\b[^{;(]*\{")
# Macros for the compiler: they stand for attributes, or for nothing where there are none.
ATTRIBUTE = re.compile(r"SN_\w+(\([^)]*\))?\s*($|__attribute__|__declspec)")
SECTION = re.compile(r"-+ (.*?) -+")


class Token:
    def __init__(self, text, line):
        self.text, self.line, self.last_line = text, line, line + text.count("\n")
        self.is_comment = text.startswith(("/*", "//"))

    def words(self):
        """The text of a comment, its lines without the stars."""
        if self.text.startswith("//"):
            return self.text[2:].strip()
        return "\n".join(re.sub(r"^\s*\* ?|^\s+(?=\S)", "", line) for line in self.text[2:-2].split("\n")).strip()


def tokens_of(text):
    """The tokens of a header. Preprocessor lines and everything for C++ only are left out; a macro SN_... becomes `#define ...;`."""
    lines, inside_cplusplus = [], False
    for line in text.replace("\\\n", "  ").split("\n"):
        macro = re.match(r"\s*#\s*define\s+(SN_\w+.*?)\s*(/\*.*)?$", line)
        if macro and ATTRIBUTE.match(macro[1]):
            macro = None
        inside_cplusplus |= bool(re.match(r"\s*#\s*ifdef\s+__cplusplus", line))
        if macro and not inside_cplusplus:
            lines.append(f"#define {macro[1]}; {macro[2] or ''}")
        else:
            lines.append("" if inside_cplusplus or re.match(r"\s*#", line) else line)
        inside_cplusplus &= not re.match(r"\s*#\s*endif", line)
    number, tokens = 1, []
    for match in TOKEN.finditer("\n".join(lines)):
        tokens.append(Token(match[0], number))
        number = tokens[-1].last_line
    return tokens


class Item:
    """A declaration, or a field or value of a type."""

    def __init__(self, tokens, before):
        self.tokens = tokens
        self.before = before  # the comment above, which neighbours may share
        self.note = ""  # the comment on the same line
        self.first_line, self.last_line = tokens[0].line, tokens[-1].last_line

    def text(self):
        """The comments of a type, a field or a value: they are about nothing else."""
        above = self.before.words() if self.before and self.before.last_line + 1 >= self.first_line else ""
        return "\n\n".join(text for text in (above, self.note) if text)

    def code(self):
        """On one line, without comments, the words for the compiler and the bodies of functions."""
        text = "".join(" " if t.is_comment else t.text for t in self.tokens)
        text = re.sub(r"\bSN_API\b|\bSN_[A-Z]+\([\d, ]*\)|__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text)
        text = re.sub(r"\s+", " ", text).strip()
        return re.sub(r"\s*\{.*", "", text) if re.match(r"static\b|inline\b", text) else text

    def body(self):
        """The tokens between the outermost braces."""
        texts = [t.text for t in self.tokens]
        return self.tokens[texts.index("{") + 1:len(texts) - 1 - texts[::-1].index("}")]


def entries_of(tokens, separator):
    """The items of a header or of a body, cut at the separator outside of brackets, and between them the comments on lines of their own."""
    entries, current, before, depth, newlines = [], [], None, 0, 0

    def close():
        nonlocal current
        while current and not current[-1].text.strip():
            current.pop()
        if current:
            entries.append(Item(current, before))
        current = []

    for token in tokens:
        if not current and not token.text.strip():
            newlines += token.text.count("\n")
            before = None if newlines > 1 else before
            continue
        newlines = 0
        if token.is_comment and depth == 0:
            if not current or separator == "," and any(t.line == token.line for t in current):
                if separator == ",":
                    close()  # the last value of an enum has no comma
                if entries and isinstance(entries[-1], Item) and entries[-1].last_line == token.line:
                    entries[-1].note = token.words()
                else:
                    before = token
                    entries.append(token)
                continue
        depth += {"{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1}.get(token.text, 0)
        if depth < 0:
            raise ValueError(f"line {token.line}: a bracket closes that is not open")
        if token.text == separator and depth == 0:
            close()
            continue
        current.append(token)
        if token.text == "}" and depth == 0 and current[0].text in ("static", "inline"):
            close()  # the body of a function ends it
    if depth:
        raise ValueError("a bracket stays open")
    close()
    return entries


def prose(text):
    """Text as Markdown: signs that Markdown would take for its own are escaped, except in `code`."""
    parts = text.split("`")
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([*<\\])", r"\\\1", parts[i])
    return "`".join(parts)


def wrapped(text, indent=""):
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def declaration(code):
    """A declaration, broken after commas only."""
    if code.startswith("#"):
        return [code]
    return [line.replace("\0", " ") for line in wrapped(re.sub(r"(?<!,) ", "\0", code) + ";", "    ")]


def paragraphs(text):
    lines = []
    for block in re.split(r"\n\s*\n", text) if text else []:
        if block.startswith("    "):
            lines += ["```c", textwrap.dedent(block), "```", ""]
        else:
            lines += wrapped(prose(" ".join(block.split()))) + [""]
    return lines


def type_section(item, kind):
    """A struct, union or enum: a heading, its comment and a table."""
    name = item.code().rsplit("}", 1)[1].strip() or re.sub(r"^\w+ ?|\{.*", "", item.code()).strip()
    lines = [f"#### {kind} `{name}`" if name else "#### Constants", ""]
    lines += paragraphs(item.text())
    lines += [f"| {'value' if kind == 'enum' else 'field'} | meaning |", "| --- | --- |"]
    for row in entries_of(item.body(), "," if kind == "enum" else ";"):
        if isinstance(row, Item):
            text = prose(" ".join(row.text().split()))
            cells = [cell.replace("|", "\\|") for cell in (f"`{row.code()}`", text) if cell]
            lines.append("| " + " | ".join(cells) + (" |" if text else " | |"))
    return lines + [""]


def group_section(items):
    """Functions, opaque types, function types and macros that share the comment above them: their declarations and the comments."""
    if not items:
        return []
    lines = ["```c"]
    for item in items:
        lines += declaration(item.code())
    lines += ["```", ""]
    lines += paragraphs(items[0].before.words()) if items[0].before else []
    for item in items:
        name = re.search(r"(\w+)\s*\(", item.code()) or re.search(r"(\w+)$", item.code())
        if item.note:
            lines += paragraphs(f"`{name[1]}`: {item.note}" if len(items) > 1 and name else item.note)
    return lines


def header_section(path):
    with open(path, encoding="utf-8") as file:
        entries = entries_of(tokens_of(file.read()), ";")
    lines, group, purpose, of_type = [f"## sinew/{os.path.basename(path)}", ""], [], True, None
    for entry in entries:
        if isinstance(entry, Item):
            if entry.before and (entry.before is of_type or SECTION.fullmatch(entry.before.words())):
                entry.before = None
            kind = TYPE.match(entry.code())
            if group and (kind or entry.before is not group[-1].before or entry.first_line > group[-1].last_line + 1):
                lines += group_section(group)
                group = []
            if kind:
                lines += type_section(entry, kind[1])
                of_type = entry.before
            else:
                group.append(entry)
            continue
        lines += group_section(group)
        group = []
        title = SECTION.fullmatch(entry.words())
        described = any(isinstance(e, Item) and e.before is entry for e in entries)
        if title:
            lines += [f"### {title[1]}", ""]
        elif purpose or not described:
            lines += paragraphs(entry.words())
        purpose = False
    return lines + group_section(group)


def in_order(paths):
    """The headers, each after those that it includes."""
    names, done = {os.path.basename(path): path for path in sorted(paths)}, []

    def visit(name):
        if name in names and names[name] not in done:
            with open(names[name], encoding="utf-8") as file:
                for needed in re.findall(r'#\s*include "(?:sinew/)?([^"]+)"', file.read()):
                    visit(needed)
            done.append(names[name])

    for name in names:
        visit(name)
    return done


def main():
    lines = ["# C interface", "", "Written by `make docs` from the public headers. `#include <sinew/sinew.h>` includes all of them.", ""]
    for path in in_order(sys.argv[1:]):
        try:
            lines += header_section(path)
        except ValueError as problem:
            sys.exit(f"{path}: {problem}")
    print("\n".join(lines).strip())


main()
