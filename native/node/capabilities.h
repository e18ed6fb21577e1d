#pragma once

namespace rankwise
{

// Whether this process may make network namespaces and mounts (CAP_SYS_ADMIN, CAP_NET_ADMIN).
bool may_administer();

// Lets the next exec keep what rankwise-link needs to enter namespaces and to open TAPs there: an
// exec by anyone but uid 0 drops what is not ambient.
void keep_link_capabilities();

} // namespace rankwise
