# Finds text that stands in a file about space and in one about the plane. Input: lines FILE:LINE:CODE of strip.awk,
# first those of all files whose names match `space`, then those of the others. Prints FILE:LINE: as OTHER:LINE where a
# run of at least `count` equal lines begins in both. What does not count: space within a line, empty lines, includes,
# lines of texts alone (which strip.awk empties), and the digits 2 and 3, by which the names of the same thing differ.
{
    file = $0
    sub(/:.*/, "", file)
    number = substr($0, length(file) + 2)
    text = number
    sub(/:.*/, "", number)
    text = substr(text, length(number) + 2)
    gsub(/[ \t]+/, " ", text)
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    if (text == "" || text ~ /^# ?include/ || (text ~ /["']/ && text !~ /[A-Za-z0-9_]/)) {
        next
    }
    gsub(/[23]/, "", text)
    gsub(/plane|space/, "wing", text)
    gsub(/PLANE|SPACE/, "WING", text)
    if (file != last_file) {
        filled = 0
        was_equal = 0
        last_file = file
        is_space = file ~ space
    }
    # The last `count` lines, in a ring.
    texts[filled % count] = text
    numbers[filled % count] = number
    ++filled
    if (filled < count) {
        next
    }
    run = ""
    for (i = filled - count; i < filled; ++i) {
        run = run texts[i % count] "\n"
    }
    place = file ":" numbers[filled % count]
    if (!is_space) {
        if (run in places && !was_equal) {
            print places[run] ": as " place
        }
        was_equal = run in places
    } else if (!(run in places)) {
        places[run] = place
    }
}
