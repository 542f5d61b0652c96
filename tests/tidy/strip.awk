# Prints, as FILE:LINE:CODE, the lines of C files whose code matches the regular expression `pattern`. Comments do
# not count as code, nor does what stands in string and character literals; an #include line stays as it is.
FNR == 1 { in_comment = 0 }

{
    rest = $0
    code = ""
    if (!in_comment && rest ~ /^[ \t]*#[ \t]*include/) {
        sub(/[ \t]*\/[\/*].*$/, "", rest)
        code = rest
        rest = ""
    }
    while (rest != "") {
        if (in_comment) {
            end = index(rest, "*/")
            if (end == 0) {
                break
            }
            rest = substr(rest, end + 2)
            in_comment = 0
            code = code " "
            continue
        }
        if (!match(rest, /\/\*|\/\/|"|'/)) {
            code = code rest
            break
        }
        token = substr(rest, RSTART, RLENGTH)
        code = code substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        if (token == "//") {
            break
        }
        if (token == "/*") {
            in_comment = 1
            continue
        }
        if (token == "\"") {
            closed = match(rest, /^([^"\\]|\\.)*"/)
        } else {
            closed = match(rest, /^([^'\\]|\\.)*'/)
        }
        rest = closed ? substr(rest, RLENGTH + 1) : ""
        code = code token token
    }
    if (code ~ pattern) {
        print FILENAME ":" FNR ":" code
    }
}
