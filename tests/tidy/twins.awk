# Finds text that stands twice, in a folder and in its twin for another number of dimensions. Input: lines FILE:LINE:CODE of
# strip.awk, first those of the folder, then those of `twin`. Prints FILE:LINE: as OTHER:LINE where a run of at least `count`
# equal lines of code begins in the twin. Space within a line and empty lines do not count.
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
    if (text == "") {
        next
    }
    if (file != last_file) {
        filled = 0
        was_equal = 0
        last_file = file
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
    if (index(file, twin "/") == 1) {
        if (run in places && !was_equal) {
            print place ": as " places[run]
        }
        was_equal = run in places
    } else if (!(run in places)) {
        places[run] = place
    }
}
