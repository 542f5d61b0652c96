# Finds statements below if, else, for, while and do that stand without braces, in what strip.awk prints of C files.
#
# clang-tidy's readability-braces-around-statements finds the same, but compiles each file for it: half a second times a
# thousand. Only the syntax is needed, and what a macro holds, which clang-tidy leaves out, is seen here, too.
# Statements that a macro is given as arguments, in rows of a list, are free.
#
# After such a word and its parentheses comes `{`, or `if` after `else`; after a `while` that ends a `do`, `;`.
function forget() {
    wanted = ""  # the word whose statement is to begin
    depth = 0    # of the parentheses that stand after it
    level = 0    # of braces
    round = 0    # of other parentheses
    ended = 0    # a do's braces have just been closed
    split("", is_do)
}

# Tells the place of a word that has no braces.
function tell() {
    print file ":" line ": " wanted
    wanted = ""
}

function take(token) {
    if (depth > 0) {
        depth += (token == "(") - (token == ")")
        return
    }
    if (wanted != "" && token == "(" && needs_parentheses) {
        depth = 1
        needs_parentheses = 0
        return
    }
    if (wanted == "end of do") {
        wanted = ""
        return
    }
    if (wanted != "" && token != "{") {
        if (wanted == "else" && token == "if") {
            wanted = ""
        } else {
            tell()
        }
    }
    round += (token == "(") - (token == ")")
    if (token == "{") {
        is_do[++level] = wanted == "do"
        wanted = ""
    } else if (token == "}") {
        ended = level > 0 && is_do[level]
        level -= level > 0
        round = level > 0 ? round : 0
        return
    } else if (round == 0 && token ~ /^(if|for|while|else|do)$/) {
        wanted = token == "while" && ended ? "end of do" : token
        needs_parentheses = token ~ /^(if|for|while)$/
        file = name
        line = number
    }
    ended = 0
}

{
    match($0, /^[^:]*:[0-9]+:/)
    place = substr($0, 1, RLENGTH - 1)
    text = substr($0, RLENGTH + 1)
    name = number = place
    sub(/:.*/, "", name)
    sub(/.*:/, "", number)
    if (name != last) {
        forget()
        last = name
    }
    if (text ~ /^[ \t]*#/ && !in_macro) {
        # A macro's text stands alone. Other directives are no code.
        in_macro = 1
        is_define = sub(/^[ \t]*#[ \t]*define[ \t]+[A-Za-z0-9_]+([(][^)]*[)])?/, "", text)
        outer = wanted SUBSEP depth SUBSEP level SUBSEP round SUBSEP ended SUBSEP needs_parentheses SUBSEP file \
            SUBSEP line
        wanted = ""
        depth = round = ended = 0
    }
    goes_on = text ~ /\\$/
    if (!in_macro || is_define) {
        while (match(text, /[A-Za-z_][A-Za-z0-9_]*|[0-9][A-Za-z0-9_.]*|[^ \t\\]/)) {
            take(substr(text, RSTART, RLENGTH))
            text = substr(text, RSTART + RLENGTH)
        }
    }
    if (in_macro && !goes_on) {
        in_macro = 0
        split(outer, saved, SUBSEP)
        wanted = saved[1]
        depth = saved[2]
        level = saved[3]
        round = saved[4]
        ended = saved[5]
        needs_parentheses = saved[6]
        file = saved[7]
        line = saved[8]
    }
}
