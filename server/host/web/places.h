/// Places of which there are few, and who gets them.
#ifndef ISO_HOST_WEB_PLACES_H
#define ISO_HOST_WEB_PLACES_H

#include "host/web/web.h"

/// Whether another connection from this address has a place: there are less than the maximum, or an idle one was closed
/// for it, or one whose answer is read slowly.
bool iso__web_has_place(iso__web *web, const iso__address *address);

/// Whether this address may connect, or a proxy ask for it: it is not refused for its strikes, and not too fast. Else
/// `web->why` has the reason.
bool iso__web_address_may_ask(iso__web *web, const iso__address *address);

/// Whether another recording may be read over this connection. A reader that is slow may have been cut for it.
bool iso__web_has_file_place(const iso__web_call *call);

#endif
