# Finds functions without an assertion: each that other files can call, and that is given a pointer or an index, says
# what it takes for granted. Reads C files as clang-format leaves them: a definition begins in the first column, and its
# body ends with a brace there.
#
# That a pointer is not NULL is no assertion: the next line would find it. A function of one statement without an index
# has nothing to add: it hands on what it was given, to who says what that takes, or reads a field.
#
# With `internal` the functions of the public interface are left out: what their callers do wrong is a status.
# `exempt` lists functions, as FILE:NAME, that have nothing to say (assertions.txt). Prints FILE:LINE: NAME, and those
# of the list that are not found, or have an assertion.
BEGIN {
    count = split(exempt, names, " ")
    for (i = 1; i <= count; i++) {
        exempted[names[i]] = 1
    }
    # A name that ends in one of these counts places; an index may stand in any width.
    index_names = "(slot|index|connection|place|member|body|shape|joint|contact|island|node|row|image|chunk|number" \
        "|tick)"
    index_types = "(u?int(8|16|32|64)?(_t)?|unsigned|size_t)"
}

# What a line says without comments and without what stands in literals.
function code_of(line) {
    gsub(/\\\\|\\"|\\'/, "", line)
    gsub(/"[^"]*"/, "\"\"", line)
    sub(/\/\/.*/, "", line)
    return line
}

# A definition has begun: `signature` is all of it up to the brace.
function begin_function(    parameters) {
    name = signature
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    parameters = signature
    sub(/^[^(]*\(/, "", parameters)
    # A macro that defines a function, as PACK(hello), tells nothing of what that takes.
    wanted = signature !~ /(^| )(static|ISO__ALWAYS_INLINE) / && !(internal && name ~ /^iso_[a-z]/) && \
        (name ~ /^[A-Z_]+$/ || parameters ~ /[*\[]/ || parameters ~ (index_types " ([a-z0-9_]*_)?" index_names "[,)]"))
    if (name ~ /^[A-Z_]+$/) {
        name = name "(" parameters
        sub(/\).*/, ")", name)
    }
    # Of texts and bytes that are only read nothing is taken for granted that can be said in C.
    sub(/\)[^)]*$/, "", parameters)
    gsub(/const (char|uint8_t|void) \*(const \*)?[a-z0-9_]+(\[[^]]*\])?/, "", parameters)
    gsub(/const (char|uint8_t) [a-z0-9_]+\[[^]]*\]/, "", parameters)
    wanted = wanted && (name ~ /^[A-Z_]+\(/ || parameters ~ /[*\[]/ ||
        parameters ~ (index_types " ([a-z0-9_]*_)?" index_names "(,|$)"))
    begun = FNR
    asserted = 0
    statements = 0
    has_index = 0
    condition = ""
    inside = 1
}

# Reads what an assertion says, which may take several lines. It counts when it says more than that pointers are there.
function read_assertion(line) {
    if (condition == "") {
        if (line !~ /(^|[^A-Za-z0-9_])ISO_(_|VALIDATE_)?ASSERT(_[A-Z]+)?\(/) {
            return
        }
        sub(/^.*ISO_(_|VALIDATE_)?ASSERT(_[A-Z]+)?\(/, "(", line)
    }
    condition = condition line
    if (line !~ /;[ \t]*$/) {
        return
    }
    gsub(/[A-Za-z_][A-Za-z0-9_]*((->|[.])[A-Za-z0-9_]+|\[[^]]*\])* != NULL/, "", condition)
    gsub(/(&&|[ \t();])/, "", condition)
    asserted = asserted || condition != ""
    statements -= condition == ""
    condition = ""
}

function end_function() {
    inside = 0
    if (!wanted || (statements == 1 && !has_index)) {
        return
    }
    if ((FILENAME ":" name) in exempted) {
        if (!asserted) {
            used[FILENAME ":" name] = 1
        }
    } else if (!asserted) {
        print FILENAME ":" begun ": " name
    }
}

FNR == 1 {
    inside = 0
    signature = ""
}

inside {
    if ($0 ~ /^}/) {
        end_function()
    } else {
        line = code_of($0)
        statements += (line !~ /^ *};/ && gsub(/;/, ";", line)) + (line ~ /^ *(if|for|while|switch|do) /)
        has_index = has_index || line ~ /\[/
        read_assertion(line)
    }
    next
}

# A definition's first line stands in the first column; so does its name, when what it returns has a line of its own.
/^[A-Za-z_]/ {
    line = code_of($0)
    signature = signature ~ /^[A-Za-z_][A-Za-z0-9_ *]*$/ ? signature " " line : line
}

/^[ \t]/ && signature != "" {
    line = code_of($0)
    sub(/^[ \t]+/, " ", line)
    signature = signature line
}

/^[^A-Za-z_ \t]/ || /^$/ {
    signature = ""
}

signature ~ /[;}=][ \t]*$/ || signature ~ /= *\{$/ {
    signature = ""
}

signature ~ /\{[ \t]*$/ {
    if (signature ~ /^[A-Za-z_][^=;{]*\([^;{]*\) *\{[ \t]*$/) {
        begin_function()
    }
    signature = ""
}

END {
    for (place in exempted) {
        if (!(place in used)) {
            print place ": is exempt from an assertion, and is not there or has one"
        }
    }
}
