#include "host/start/sandbox.h"

#include <string.h>
#include <sys/prctl.h>

#include "host/watch/log.h"
#include "isostep/assert.h"

void iso__sandbox_begin(void) {
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void iso__sandbox_report(const iso__sandbox *sandbox) {
    ISO_ASSERT(sandbox->lacks_files || sandbox->files_version > 0); // it was confined
    char files[64] = "landlock";
    if (sandbox->files_version > 0) {
        memcpy(files, "a landlock of version 2 (Linux 5.19)", sizeof "a landlock of version 2 (Linux 5.19)");
    }
    if (!sandbox->lacks_files && !sandbox->lacks_calls) {
        return;
    }
    iso__log_warning("the process is not confined as it could be: the kernel lacks %s%s%s",
                     sandbox->lacks_files ? files : "", sandbox->lacks_files && sandbox->lacks_calls ? " and " : "",
                     sandbox->lacks_calls ? "filters of system calls (seccomp)" : "");
}
